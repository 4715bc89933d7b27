/** A made-up home folder full of transcripts: any size, the same bytes for the same seed and the same packages. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { claudeTranscript, type SessionPlan } from './claude-sessions.ts'
import { codexTranscript } from './codex-sessions.ts'
import { createCorpusText } from './corpus-text.ts'
import { between, hex, logNormal, pick, type Random, seededRandom, uuid } from './random.ts'
import type { ReadingMatter } from './words.ts'

const projectCount = 14
/** Whose session is the next one, over and over. */
const agentsInTurn = ['claude', 'codex', 'claude', 'claude', 'codex', 'claude', 'claude'] as const
const usualSessionBytes = 90_000
const sessionSpread = 1.4
const maxSessionBytes = 12_000_000
const lastDayMs = Date.UTC(2026, 9, 30)
const historyDays = 180
/** One session in so many holds a needle. */
const sessionsPerNeedle = 8

export interface Needle {
  /** What to search for. */
  readonly query: string
  readonly kind: NeedleKind
  readonly sessionId: string
}

type NeedleKind = 'word' | 'identifier' | 'path' | 'error' | 'cjk'

export interface CorpusFile {
  readonly path: string
  readonly agent: 'claude' | 'codex'
  readonly sessionId: string
}

export interface Corpus {
  /** To be used as `$HOME`. */
  readonly homeDir: string
  readonly bytes: number
  readonly files: readonly CorpusFile[]
  readonly needles: readonly Needle[]
}

export interface CorpusOptions {
  readonly homeDir: string
  readonly sizeBytes: number
  readonly seed: number
  /** Default: what real histories have. */
  readonly medianSessionBytes?: number
  /** No more sessions than this, however small the whole is then. */
  readonly maxFiles?: number
}

/** Writes one transcript after another; no more than one is held in memory. */
export function writeCorpus(matter: ReadingMatter, options: CorpusOptions): Corpus {
  const random = seededRandom(options.seed)
  const text = createCorpusText(matter, random)
  const projects = Array.from({ length: projectCount }, () => `/home/dev/src/${text.word()}-${text.word()}`)
  const files: CorpusFile[] = []
  const needles: Needle[] = []
  let bytes = 0
  const { maxFiles = Number.POSITIVE_INFINITY, medianSessionBytes = usualSessionBytes } = options
  while (bytes < options.sizeBytes && files.length < maxFiles) {
    const agent = agentsInTurn[files.length % agentsInTurn.length] ?? 'claude'
    const sessionId = uuid(random)
    const isNeedleDue = files.length % sessionsPerNeedle === 0
    const needle = isNeedleDue ? makeNeedle(random, needles.length, sessionId) : null
    if (needle !== null) needles.push(needle)
    const wantedBytes = Math.min(maxSessionBytes, logNormal(random, medianSessionBytes, sessionSpread))
    const plan: SessionPlan = {
      sessionId,
      cwd: pick(random, projects),
      branch: random() < 0.5 ? 'main' : `${text.word()}/${text.word()}-${text.word()}`,
      startMs: lastDayMs - Math.floor(random() * historyDays * 86_400_000),
      // The last one is cut short, so that the whole has the size asked for.
      bytes: Math.min(wantedBytes, options.sizeBytes - bytes),
      needle: needle?.query ?? null,
    }
    const transcript = agent === 'claude' ? claudeTranscript(text, plan) : codexTranscript(text, plan)
    const path = join(options.homeDir, agent === 'claude' ? claudePath(plan) : codexPath(plan))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, transcript)
    // A real one is as old as what was said in it last: the order of files is the order of sessions.
    utimesSync(path, plan.startMs / 1000, plan.startMs / 1000)
    bytes += Buffer.byteLength(transcript)
    files.push({ path, agent, sessionId })
  }
  return { homeDir: options.homeDir, bytes, files, needles }
}

/** Letters that occur nowhere else, in the shape of what people look for. */
function makeNeedle(random: Random, count: number, sessionId: string): Needle {
  const kinds = ['word', 'identifier', 'path', 'error', 'cjk'] as const
  const kind = kinds[count % kinds.length] ?? 'word'
  const tag = `${hex(random, 6).replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))}${count.toString(36)}`
  switch (kind) {
    case 'word':
      return { kind, sessionId, query: `quokka${tag}` }
    case 'identifier':
      return { kind, sessionId, query: `resolveQuokka${tag}Handle` }
    case 'path':
      return { kind, sessionId, query: `src/quokka/${tag}-loop.ts` }
    case 'error':
      return { kind, sessionId, query: `QuokkaError: handle ${tag} was closed` }
    case 'cjk':
      return {
        kind,
        sessionId,
        query: `短尾矮袋鼠${String.fromCodePoint(0x4e00 + between(random, 0, 6000), 0x4e00 + (count % 6000))}`,
      }
  }
}

function claudePath(plan: SessionPlan): string {
  return join('.claude', 'projects', plan.cwd.replace(/[^A-Za-z0-9-]/g, '-'), `${plan.sessionId}.jsonl`)
}

function codexPath(plan: SessionPlan): string {
  const time = new Date(plan.startMs).toISOString().slice(0, 19)
  const [day = '', clock = ''] = time.split('T')
  const name = `rollout-${day}T${clock.replaceAll(':', '-')}-${plan.sessionId}.jsonl`
  return join('.codex', 'sessions', ...day.split('-'), name)
}
