/** Reads a Codex rollout that was packed when it grew old: its lines are folded as those of any other. */
import { CodexFold } from './codex-fold.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Unpack } from './packed.ts'
import type { DocumentFormat, TranscriptFile, TranscriptMessage } from './reader.ts'
import { sessionIdOfFile } from './session-names.ts'
import { nothingTold } from './telling.ts'
import { splitLines } from './transcript-lines.ts'

const ending = '.zst'

export function isPackedRollout(relativePath: string): boolean {
  return relativePath.endsWith(`.jsonl${ending}`)
}

export function packedRollouts(label: string, unpack: Unpack): DocumentFormat {
  return {
    kind: 'document',
    read(file, beside, bytes) {
      const plain = baseName(unpackedPath(file))
      if (beside.list(neighbourPath(file.path)).includes(plain))
        return nothingTold(label, file, sessionIdOfFile(plain))
      const fold = new CodexFold(label, file, beside)
      const messages: TranscriptMessage[] = []
      // The last line may have been packed without its newline.
      for (const { text } of splitLines([unpack(bytes), Buffer.from('\n')])) {
        if (text === null) fold.skipLine()
        else fold.line(text, (message) => messages.push(message))
      }
      return { kind: fold.kind(), facts: fold.facts(), messages, unread: fold.unread() }
    },
  }
}

/** While a rollout is being packed both files stand there: the plain one counts, until it goes. */
export function unpackedPath({ path }: TranscriptFile): string {
  return path.slice(0, -ending.length)
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
