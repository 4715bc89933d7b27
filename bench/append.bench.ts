/** From a message's last byte on disk to its being found, through the agent, on the index of 957 MB. */
import { appendFileSync } from 'node:fs'
import { startAgent } from './agents.ts'
import { bigCorpus, ensureBigIndex } from './big-index.ts'
import type { CorpusFile } from './corpus.ts'
import { median, percentile, timeMs } from './measure.ts'
import { pick, seededRandom, uuid } from './random.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

export const append: BenchRow = {
  name: 'append',
  what: 'one message appended to a history of 957 MB, until it is found',
  unit: 'ms',
  atMost: 50,
  measure: measureAppend,
}

async function measureAppend(context: BenchContext): Promise<Measured> {
  const place = await ensureBigIndex(context, 'huge')
  const files = bigCorpus(context, 'huge').files.filter((file) => file.agent === 'claude')
  const random = seededRandom(6)
  await using agent = await startAgent(place)
  const times: number[] = []
  const counted = context.quick ? 5 : 31
  for (let round = -3; round < counted; round++) {
    const file = pick(random, files)
    const word = `wombat${(round + 3).toString(36)}append`
    const line = messageLine(file, word, uuid(random))
    const ms = await timeMs(async () => {
      appendFileSync(file.path, line)
      const { hits, truncated } = await agent.search({
        query: word,
        limit: 5,
        freshness: 'wait-until-current',
      })
      if (truncated.freshness || !hits.some((hit) => hit.sessionId === file.sessionId))
        throw new Error('the appended message was not found')
    })
    if (round >= 0) times.push(ms)
  }
  return {
    value: median(times),
    detail: `median of ${counted}, ${percentile(times, 0.95).toFixed(0)} ms at the 95th percentile; append, then search with \`wait-until-current\``,
  }
}

function messageLine({ sessionId }: CorpusFile, word: string, id: string): string {
  const record = {
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/src/bench',
    sessionId,
    version: '2.0.14',
    gitBranch: 'main',
    type: 'user',
    message: { role: 'user', content: `Does the handler still see ${word} after the reload?` },
    uuid: id,
    timestamp: '2026-11-02T10:00:00.000Z',
  }
  return `${JSON.stringify(record)}\n`
}
