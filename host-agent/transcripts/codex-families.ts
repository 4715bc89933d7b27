/**
 * Codex writes the same message as up to three kinds of record: `response_item`, a plain event, and an
 * `item_completed` event. Which of them a file holds differs by version, so none can be left out. Counting each
 * text by kind, a message is new when its own kind has said it more often than it was given out: the same reply
 * said twice comes out twice, and a reply written twice comes out once.
 */
import * as z from 'zod'
import { keyOf } from './recent-keys.ts'

export type CodexFamily = 'response' | 'event' | 'item' | 'goal'

const families: readonly CodexFamily[] = ['response', 'event', 'item', 'goal']
const rememberedTexts = 128
/** The kinds of one message are written within moments; the same words said later are another message. */
const pairingWindowMs = 60_000

/** Key, when it was last met, and how often each family said it. */
export const familyCountsState = z.array(z.tuple([z.number(), z.number().nullable(), z.array(z.number())]))

export interface FamilyCounts {
  /** Whether this saying of the text – its parts tell it – was not given out yet. */
  isNew(identity: readonly string[], family: CodexFamily, atMs: number | null): boolean
  save(): z.infer<typeof familyCountsState>
}

export function familyCounts(saved: z.infer<typeof familyCountsState> = []): FamilyCounts {
  const entries = new Map(saved.map(([key, atMs, counts]) => [key, { atMs, counts }]))
  return {
    isNew(identity, family, atMs) {
      const key = keyOf(...identity)
      let entry = entries.get(key)
      // Met last, forgotten last.
      if (entry !== undefined) entries.delete(key)
      if (entry === undefined || isApart(entry.atMs, atMs)) entry = { atMs, counts: families.map(() => 0) }
      entries.set(key, entry)
      for (const oldest of entries.keys()) {
        if (entries.size <= rememberedTexts) break
        entries.delete(oldest)
      }
      const { counts } = entry
      const place = families.indexOf(family)
      const givenOut = Math.max(...counts)
      const said = (counts[place] ?? 0) + 1
      counts[place] = said
      entry.atMs = atMs ?? entry.atMs
      return said > givenOut
    },
    save: () => [...entries].map(([key, { atMs, counts }]) => [key, atMs, [...counts]]),
  }
}

function isApart(earlierMs: number | null, laterMs: number | null): boolean {
  return earlierMs !== null && laterMs !== null && Math.abs(laterMs - earlierMs) > pairingWindowMs
}
