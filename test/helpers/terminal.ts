/** A real terminal for a real command, by tmux: keys in, the screen out. Its server is the test's own. */
import { execFile, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** For `describe.skipIf`. */
export function whyNoTerminal(): string | null {
  if (spawnSync('tmux', ['-V']).status === 0) return null
  const reason = 'skipped: there is no tmux'
  process.stderr.write(`${reason}\n`)
  return reason
}

export interface TestTerminal extends AsyncDisposable {
  /** Names as tmux has them (`Enter`, `Down`, `C-c`); other words are typed. */
  press(...keys: readonly string[]): Promise<void>
  screen(): Promise<string>
  /** Waits until the screen shows it. @throws Error with the screen when it does not. */
  until(pattern: RegExp): Promise<string>
  resize(columns: number, rows: number): Promise<void>
}

/** A shell of its own runs the line; what it leaves on the screen stays. */
export async function openTestTerminal(
  line: string,
  env: NodeJS.ProcessEnv,
  size = { columns: 100, rows: 24 },
): Promise<TestTerminal> {
  const socket = join(tmpdir(), `trawl-tmux-${process.pid}-${Math.floor(performance.now() * 1000)}`)
  const tmux = async (...args: readonly string[]) =>
    (await run('tmux', ['-S', socket, '-f', '/dev/null', '-u', ...args], { env })).stdout
  await tmux('new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), 'sh')
  const screen = async () => await tmux('capture-pane', '-p')
  const terminal: TestTerminal = {
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    screen,
    async until(pattern) {
      let shown = ''
      for (const endMs = performance.now() + 20_000; performance.now() < endMs; ) {
        shown = await screen()
        if (pattern.test(shown)) return shown
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`never on the screen: ${pattern}\n${shown}`)
    },
    resize: async (columns, rows) =>
      void (await tmux('resize-window', '-x', String(columns), '-y', String(rows))),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => {})
      await rm(socket, { force: true })
    },
  }
  await terminal.press('-l', line)
  await terminal.press('Enter')
  return terminal
}
