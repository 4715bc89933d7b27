import { describe, expect, it } from 'vitest'
import type { Interlude } from './pass.ts'
import { PassQueue } from './pass-queue.ts'

/** Passes that run until they are let go, and say what runs. */
function stage() {
  const log: string[] = []
  const gates: { name: string; open: (error?: Error) => void }[] = []
  const hold = (name: string) =>
    new Promise<void>((resolve, reject) => {
      log.push(`${name} begins`)
      gates.push({ name, open: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  let interlude: Interlude | null = null
  const queue = new PassQueue({
    bounded: ({ asked }, given) => {
      interlude = given
      return hold(gates.length > 0 ? 'nested' : asked ? 'bounded' : 'background')
    },
    sweep: (given) => {
      interlude = given
      return hold('sweep')
    },
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    queue,
    log,
    turn,
    async let(name: string, error?: Error) {
      await turn()
      const at = gates.findIndex((gate) => gate.name === name)
      if (at < 0) throw new Error(`${name} does not run`)
      gates.splice(at, 1)[0]?.open(error)
      await turn()
    },
    betweenFiles(): Promise<void> | null {
      return interlude?.isWanted() ? interlude.run() : null
    },
  }
}

describe('PassQueue', () => {
  it('lets those who ask at one time share a pass', async () => {
    const { queue, log, let: letGo } = stage()
    const asked = [queue.request(false, true), queue.request(false, true)]
    await letGo('bounded')
    await Promise.all(asked)
    expect(log).toEqual(['bounded begins'])
  })

  it('gives whoever asks while a pass runs one that begins after the question', async () => {
    const { queue, log, let: letGo, turn } = stage()
    const first = queue.request(false, true)
    await turn()
    let isThrough = false
    const second = queue.request(false, true).then(() => {
      isThrough = true
    })
    await letGo('bounded')
    await first
    expect(isThrough).toBe(false)
    await letGo('bounded')
    await second
    expect(log).toEqual(['bounded begins', 'bounded begins'])
  })

  it('runs a bounded pass between two files of a sweep', async () => {
    const { queue, log, let: letGo, turn, betweenFiles } = stage()
    const sweep = queue.request(true, false)
    await turn()
    expect(betweenFiles()).toBeNull()
    const bounded = queue.request(false, true)
    const interlude = betweenFiles()
    await letGo('nested')
    await bounded
    await interlude
    await letGo('sweep')
    await sweep
    expect(log).toEqual(['sweep begins', 'nested begins'])
  })

  it('runs a bounded pass between two files of another bounded one', async () => {
    const { queue, log, let: letGo, betweenFiles, turn } = stage()
    void queue.request(false, false)
    await turn()
    expect(betweenFiles()).toBeNull()
    const asked = queue.request(false, true)
    void betweenFiles()
    await letGo('nested')
    await asked
    expect(log).toEqual(['background begins', 'nested begins'])
    await letGo('background')
  })

  it('takes a pass for asked as soon as one of those who share it waits', async () => {
    const { queue, log, let: letGo } = stage()
    const all = [queue.request(false, false), queue.request(false, true)]
    await letGo('bounded')
    await Promise.all(all)
    expect(log).toEqual(['bounded begins'])
  })

  it('runs a bounded pass that the sweep had no time for after it', async () => {
    const { queue, log, let: letGo, turn } = stage()
    const sweep = queue.request(true, false)
    await turn()
    const bounded = queue.request(false, true)
    await letGo('sweep')
    await sweep
    await letGo('bounded')
    await bounded
    expect(log).toEqual(['sweep begins', 'bounded begins'])
  })

  it('tells all who waited of a failure, and goes on with the next pass', async () => {
    const { queue, let: letGo } = stage()
    const asked = [queue.request(false, true), queue.request(false, true)].map((each) =>
      each.catch((error) => error.message),
    )
    await letGo('bounded', new Error('the disk is full'))
    expect(await Promise.all(asked)).toEqual(['the disk is full', 'the disk is full'])
    const next = queue.request(false, true)
    await letGo('bounded')
    await expect(next).resolves.toBeUndefined()
  })

  it('does not let a failed interlude break off the sweep', async () => {
    const { queue, let: letGo, turn, betweenFiles } = stage()
    const sweep = queue.request(true, false)
    await turn()
    const bounded = queue.request(false, true).catch((error) => error.message)
    const interlude = betweenFiles()
    await letGo('nested', new Error('no'))
    expect(await bounded).toBe('no')
    await expect(interlude).resolves.toBeUndefined()
    await letGo('sweep')
    await expect(sweep).resolves.toBeUndefined()
  })

  it('is idle when nothing runs', async () => {
    const { queue, let: letGo } = stage()
    await queue.idle()
    void queue.request(true, false)
    const idle = queue.idle()
    await letGo('sweep')
    await idle
  })
})
