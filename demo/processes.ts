/** The processes the demo has started: each in a group of its own, and all of them ended with it. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const startTimeoutMs = 30_000
const endTimeoutMs = 5_000

export class Processes implements AsyncDisposable {
  readonly #running = new Set<ChildProcess>()

  keep<Child extends ChildProcess>(child: Child): Child {
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    return child
  }

  /**
   * Waits for a line of a starting process and gives back what the pattern found.
   * @throws Error with what it printed instead, when it ends first or takes longer than 30 s.
   */
  async line(output: Readable, pattern: RegExp, name: string): Promise<RegExpExecArray> {
    const seen: string[] = []
    return await new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error([`${name} ${why}`, ...seen].join('\n  ')))
      const timer = setTimeout(() => fail('did not start in time'), startTimeoutMs)
      createInterface(output)
        .on('line', (line) => {
          const found = pattern.exec(line)
          seen.push(line)
          if (found === null) return
          clearTimeout(timer)
          resolve(found)
        })
        .on('close', () => {
          clearTimeout(timer)
          fail('ended')
        })
    })
  }

  /** The newest first, so that a gateway leaves its hosts before they go; what does not end in time is killed. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of Array.from(this.#running).reverse()) {
      const ended = once(child, 'exit')
      signalGroup(child, 'SIGTERM')
      const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), endTimeoutMs)
      await ended
      clearTimeout(timer)
    }
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It ended just now.
  }
}
