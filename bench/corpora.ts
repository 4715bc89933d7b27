/** The corpora of one run: each is made when the first row asks for it, and kept for those that come after. */
import { join } from 'node:path'
import { type Corpus, type CorpusOptions, writeCorpus } from './corpus.ts'
import { collectReadingMatter, type ReadingMatter } from './words.ts'

export interface Corpora {
  /** @param name also its folder's; the same name is the same corpus. */
  make(name: string, size: CorpusSize): Corpus
  /** What they are written with, most frequent first. */
  words(): readonly string[]
}

export interface CorpusSize extends Omit<CorpusOptions, 'homeDir' | 'sizeBytes'> {
  readonly bytes: number
  /** Of the corpus into whose home it goes, as more of the same history. Default: a home of its own. */
  readonly homeOf?: string
}

export interface CorporaOptions {
  readonly packagesDir: string
  readonly workDir: string
  say(sentence: string): void
}

export function createCorpora({ packagesDir, workDir, say }: CorporaOptions): Corpora {
  const made = new Map<string, Corpus>()
  let read: ReadingMatter | null = null
  const matter = () => {
    read ??= collectReadingMatter(packagesDir)
    return read
  }
  return {
    words: () => matter().words,
    make(name, { bytes, homeOf = name, ...options }) {
      const known = made.get(name)
      if (known !== undefined) return known
      const startedMs = performance.now()
      const corpus = writeCorpus(matter(), { ...options, homeDir: join(workDir, homeOf), sizeBytes: bytes })
      made.set(name, corpus)
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
      say(
        `  made ${(corpus.bytes / 1e6).toFixed(0)} MB of transcripts in ${corpus.files.length} files (${seconds} s)`,
      )
      return corpus
    },
  }
}
