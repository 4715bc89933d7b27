/** Saving a fold after any line and going on from it gives what reading at one go gives. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openFold, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { claudeReader } from './claude.ts'
import { codexReader } from './codex.ts'
import type { TranscriptFile, TranscriptFold, TranscriptMessage, TranscriptReader } from './reader.ts'
import { transcriptReaders } from './readers.ts'
import { splitLines } from './transcript-lines.ts'

const homes = fileURLToPath(new URL('../../../shared/fixtures/', import.meta.url))
/** Resumed at every line up to this many, sampled beyond. */
const smallFileLines = 150

interface Outcome {
  readonly messages: TranscriptMessage[]
  readonly end: unknown
}

function outcomeOf(fold: TranscriptFold, messages: TranscriptMessage[]): Outcome {
  const end = { facts: fold.facts(), kind: fold.kind(), unread: fold.unread(), saved: fold.save() }
  return { messages, end: JSON.parse(JSON.stringify(end)) }
}

/** Reads the lines, the state passing through JSON before each line in `stops`. Null is a line too long. */
function readWithStops(
  reader: TranscriptReader,
  file: TranscriptFile,
  lines: readonly (string | null)[],
  stops: ReadonlySet<number>,
): Outcome {
  const messages: TranscriptMessage[] = []
  let fold = openFold(reader, file)
  lines.forEach((line, at) => {
    if (stops.has(at)) fold = openFold(reader, file, JSON.parse(JSON.stringify(fold.save())))
    if (line === null) fold.skipLine()
    else fold.line(line, (message) => messages.push(message))
  })
  return outcomeOf(fold, messages)
}

interface Fixture {
  readonly name: string
  readonly reader: TranscriptReader
  readonly file: TranscriptFile
  readonly lines: readonly (string | null)[]
}

function fixtures(): Fixture[] {
  return ['laptop', 'devbox', 'ci'].flatMap((home) =>
    transcriptReaders().flatMap((reader) =>
      reader.roots({ homeDir: join(homes, home), platform: 'linux', env: {} }).flatMap((root) => {
        if (!existsSync(root.path)) return []
        const paths = readdirSync(root.path, { recursive: true, encoding: 'utf8' })
        return paths
          .filter((path) => reader.formatOf(path)?.kind === 'lines')
          .map((relativePath) => {
            const path = join(root.path, relativePath)
            const lines = [...splitLines([readFileSync(path)])].map(({ text }) => text)
            return { name: `${home}/${relativePath}`, reader, file: { root, path, relativePath }, lines }
          })
      }),
    ),
  )
}

const found = existsSync(homes) ? fixtures() : []

describe('transcript folds', () => {
  it.skipIf(found.length === 0)(
    'are tried on transcripts of many agents (skipped where the shared fixtures are absent)',
    () => {
      expect(new Set(found.map(({ reader }) => reader.agent)).size).toBeGreaterThan(8)
      expect(found.length).toBeGreaterThan(20)
    },
  )

  it.each(found.map((fixture) => [fixture.name, fixture] as const))(
    'resume anywhere in %s',
    (_name, fixture) => {
      const { reader, file, lines } = fixture
      const whole = readWithStops(reader, file, lines, new Set())
      expect(whole.messages.every(({ text }) => text.trim() !== '')).toBe(true)
      // Every line at once saves and opens at each boundary; the single stops show that none depends on another.
      expect(readWithStops(reader, file, lines, new Set(lines.keys()))).toEqual(whole)
      const step = Math.ceil(lines.length / smallFileLines)
      for (let at = 0; at <= lines.length; at += Math.max(1, step * 7)) {
        expect(readWithStops(reader, file, lines, new Set([at]))).toEqual(whole)
      }
    },
  )

  it.skipIf(found.length === 0)('count the lines of a file that is no transcript, and throw nothing', () => {
    const odd = found.find(({ name }) => name.endsWith('duplicate-assistant-response-2.jsonl'))
    if (odd === undefined) throw new Error('the fixture is gone')
    const { end, messages } = readWithStops(odd.reader, odd.file, odd.lines, new Set())
    expect(messages).toEqual([])
    expect(end).toMatchObject({ kind: 'none', unread: { badLines: 1146, unknownRecords: 0 } })
  })

  const words = fc.constantFrom(
    'yes',
    'fix the loop',
    '<system-reminder>x</system-reminder>',
    '',
    '<command-name>/a</command-name>',
  )
  const id = fc.constantFrom('a', 'b', 'c')
  const stamp = fc
    .integer({ min: 0, max: 200_000 })
    .map((ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString())

  const claudeLine = fc
    .record({
      type: fc.constantFrom('user', 'assistant', 'ai-title', 'summary', 'attachment', 'odd'),
      uuid: id,
      sessionId: id,
      timestamp: stamp,
      isSidechain: fc.boolean(),
      gitBranch: id,
      aiTitle: words,
      attachment: fc.record({ type: fc.constant('queued_command'), prompt: words }),
      message: fc.record({
        id,
        content: fc.oneof(
          words,
          fc.array(
            fc.oneof(
              words.map((text) => ({ type: 'text', text })),
              fc.record({
                type: fc.constant('tool_use'),
                id,
                name: id,
                input: fc.record({ command: words }),
              }),
              fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: words }),
            ),
          ),
        ),
      }),
    })
    .map((record) => JSON.stringify(record))

  const turnId = fc.constantFrom(
    '019b7619-5000-7000-8000-000000000001',
    '019b761a-0000-7000-8000-000000000001',
    'x',
  )
  const codexLine = fc
    .record({
      timestamp: stamp,
      type: fc.constantFrom(
        'session_meta',
        'response_item',
        'response_item',
        'event_msg',
        'event_msg',
        'turn_context',
      ),
      payload: fc.record({
        id,
        type: fc.constantFrom(
          'message',
          'user_message',
          'agent_message',
          'function_call',
          'exec_command_end',
          'odd',
        ),
        role: fc.constantFrom('user', 'assistant'),
        content: words,
        message: words,
        call_id: id,
        turn_id: turnId,
        forked_from_id: fc.option(id),
        cwd: fc.constantFrom('/a', '/b'),
      }),
    })
    .map((record) => JSON.stringify(record))

  const other = fc.constantFrom('{"torn', '', '7', null)

  it.each([
    ['claude', claudeReader(), claudeLine],
    ['codex', codexReader(), codexLine],
  ])('resume anywhere in generated transcripts of %s', (_agent, reader, line) => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 9, arbitrary: line }, { weight: 1, arbitrary: other }), {
          maxLength: 40,
        }),
        fc.array(fc.nat({ max: 40 })),
        (lines, stops) => {
          const file = transcriptFile('p/a.jsonl')
          const whole = readWithStops(reader, file, lines, new Set())
          expect(readWithStops(reader, file, lines, new Set(stops))).toEqual(whole)
        },
      ),
      { numRuns: 300 },
    )
  })
})
