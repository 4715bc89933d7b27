/** Qoder: where its sessions lie. They read as Claude Code's do, with a manifest beside some of them. */
import { posix, win32 } from 'node:path'
import { ClaudeFold } from './claude-fold.ts'
import type { ClaudeLike } from './claude-like.ts'
import { isClaudeTranscript } from './claude-place.ts'
import { jsonManifest } from './json-document.ts'
import { stringAt } from './json-record.ts'
import type { LinesFormat, TranscriptFile, TranscriptReader } from './reader.ts'
import { recordedPath, titleSource } from './session-names.ts'
import { dataFolder } from './vscode-places.ts'

const label = 'Qoder'

const agent: ClaudeLike = {
  label,
  invocation: 'qodercli -r',
  silentTypes: new Set(['runtime-config', 'cost-state']),
  manifest(file, beside) {
    const manifest = jsonManifest(beside.text(manifestPath(file)) ?? '')
    return {
      title: titleSource(stringAt(manifest, 'title') ?? ''),
      cwd: recordedPath(manifest.working_dir),
    }
  },
}

const lines: LinesFormat = {
  kind: 'lines',
  open: (file, beside, saved) => new ClaudeFold(agent, file, beside, saved),
}

export function qoderReader(): TranscriptReader {
  return {
    agent: 'qoder',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['APPDATA', 'XDG_CONFIG_HOME'],
      resume: 'qodercli -r ID',
      remark: 'Subagents belong to their session.',
    },
    roots(environment) {
      const { homeDir, platform } = environment
      const { join } = platform === 'win32' ? win32 : posix
      return [
        join(homeDir, '.qoder', 'projects'),
        join(homeDir, '.qoderwork', 'projects'),
        join(dataFolder(environment), 'Qoder', 'SharedClientCache', 'cli', 'projects'),
      ].map((path) => ({ path }))
    },
    formatOf: (relativePath) => (isClaudeTranscript(relativePath) ? lines : null),
    companions: (file) => [manifestPath(file)],
  }
}

/** `<id>-session.json` beside `<id>.jsonl`: title, folder, parent. */
function manifestPath({ path }: TranscriptFile): string {
  return path.replace(/\.jsonl$/, '-session.json')
}
