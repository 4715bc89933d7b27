/** What people, assistants and tools write in a made-up transcript: prose, identifiers, paths, listings, logs, errors. */
import { between, hex, logNormal, pick, type Random, uuid } from './random.ts'
import { type ReadingMatter, zipfDraw } from './words.ts'

const extensions = ['ts', 'ts', 'tsx', 'js', 'py', 'go', 'rs', 'md', 'json', 'css', 'sql', 'sh']
const folders = ['src', 'lib', 'test', 'app', 'server', 'packages/core', 'internal', 'components', 'scripts']
const errorKinds = [
  'TypeError',
  'Error',
  'RangeError',
  'AssertionError',
  'SyntaxError',
  'ENOENT',
  'ECONNRESET',
]
/** Written for this benchmark: one message in fifty is not in English. */
const cjkSentences = [
  '重新连接的循环为什么不会停止？',
  '请检查会话索引是否已经更新。',
  '日志里有一个超时错误，先修复它。',
  'このテストはなぜ失敗するのですか。',
  'インデックスを作り直してください。',
  '接続が切れた後の処理を直します。',
  '세션 검색 결과가 비어 있습니다.',
]

export interface CorpusText {
  readonly random: Random
  word(): string
  sentence(): string
  /** @param units about how long. */
  prose(units: number): string
  identifier(): string
  /** Relative to a project. */
  path(): string
  command(): string
  /** Lines of a real file. */
  excerpt(lineCount: number): string[]
  /** What a command printed. */
  output(units: number): string
}

export function createCorpusText(matter: ReadingMatter, random: Random): CorpusText {
  const word = zipfDraw(matter.words, random)
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

  function identifier(): string {
    const parts = [word(), word(), ...(random() < 0.4 ? [word()] : [])]
    const style = random()
    if (style < 0.5) return parts.map((part, at) => (at === 0 ? part : capital(part))).join('')
    if (style < 0.7) return parts.map(capital).join('')
    if (style < 0.85) return parts.join('_')
    return style < 0.93 ? parts.join('_').toUpperCase() : parts.join('.')
  }

  function path(): string {
    const depth = between(random, 0, 2)
    const name = random() < 0.5 ? `${word()}-${word()}` : identifier()
    return [
      pick(random, folders),
      ...Array.from({ length: depth }, word),
      `${name}.${pick(random, extensions)}`,
    ].join('/')
  }

  function sentence(): string {
    if (random() < 0.02) return pick(random, cjkSentences)
    const length = between(random, 5, 22)
    let text = capital(word())
    for (let at = 1; at < length; at++) {
      const kind = random()
      if (kind < 0.93) text += ` ${word()}`
      else if (kind < 0.97) text += ` \`${identifier()}\``
      else if (kind < 0.985) text += ` ${path()}`
      else text += ` ${between(random, 1, 5000)}`
    }
    return `${text}${random() < 0.1 ? '?' : '.'}`
  }

  function prose(units: number): string {
    let text = sentence()
    while (text.length < units) {
      const next = random()
      text += next < 0.7 ? ' ' : next < 0.9 ? '\n\n' : '\n- '
      text += sentence()
    }
    return text
  }

  function excerpt(lineCount: number): string[] {
    const source = pick(random, matter.sources)
    const start = between(random, 0, Math.max(0, source.length - lineCount))
    return source.slice(start, start + lineCount)
  }

  const outputLines: readonly (() => string)[] = [
    () => ` ✓ ${path()} (${between(random, 1, 90)} tests) ${between(random, 1, 900)}ms`,
    () => `${path()}:${between(random, 1, 900)}:${pick(random, excerpt(4)) ?? ''}`,
    () => `${hex(random, 7)} ${sentence()}`,
    () =>
      `-rw-r--r-- 1 dev dev ${between(random, 10, 99_999)} Oct ${between(random, 1, 30)} 10:${between(random, 10, 59)} ${word()}.${pick(random, extensions)}`,
    () =>
      `    at ${identifier()} (/home/dev/src/${path()}:${between(random, 1, 900)}:${between(random, 1, 80)})`,
    () => `${pick(random, errorKinds)}: ${identifier()} ${word()} ${word()} ${word()} '${identifier()}'`,
    () =>
      `[${between(random, 10, 23)}:${between(random, 10, 59)}:07] INFO ${word()} ${word()} request=${uuid(random)}`,
    () => ` M ${path()}`,
    () => `+${' '.repeat(between(random, 0, 6))}${pick(random, excerpt(4)) ?? ''}`,
  ]

  function output(units: number): string {
    const lines: string[] = []
    let length = 0
    // One command prints lines of one or two kinds.
    const kinds = [pick(random, outputLines), pick(random, outputLines)]
    while (length < units) {
      const line = pick(random, kinds)()
      lines.push(line)
      length += line.length + 1
    }
    return lines.join('\n')
  }

  function command(): string {
    const commands = [
      () => `rg -n '${word()} ${word()}' ${pick(random, folders)}`,
      () => `npx vitest run ${path()} 2>&1 | tail -${between(random, 5, 60)}`,
      () => `git log --oneline -${between(random, 3, 40)} -- ${path()}`,
      () => `sed -n '${between(random, 1, 80)},${between(random, 81, 400)}p' ${path()}`,
      () => `node -e "console.log(require('./${path()}').${identifier()})"`,
      () => `cd ${pick(random, folders)} && npm run ${word()} && git diff --stat`,
    ]
    return pick(random, commands)()
  }

  return { random, word, sentence, prose, identifier, path, command, excerpt, output }
}

/** Lengths as they are in real transcripts: most texts are short, a few are very long. */
export const units = {
  prompt: (random: Random) => Math.min(20_000, logNormal(random, 180, 1.1)),
  reply: (random: Random) => Math.min(12_000, logNormal(random, 170, 0.8)),
  thinking: (random: Random) => Math.min(12_000, logNormal(random, 400, 0.9)),
  output: (random: Random) => Math.min(60_000, logNormal(random, 240, 2)),
} as const

/** Lines of a file that a tool showed; most looks are short. */
export function excerptLines(random: Random): number {
  return Math.round(Math.min(1200, logNormal(random, 18, 1.4))) + 1
}
