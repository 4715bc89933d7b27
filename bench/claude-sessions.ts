/** Made-up Claude Code transcripts: the record shapes and their proportions are those of real ones. */
import { type CorpusText, excerptLines, units } from './corpus-text.ts'
import { between, hex, uuid } from './random.ts'

export interface SessionPlan {
  readonly sessionId: string
  readonly cwd: string
  readonly branch: string
  readonly startMs: number
  /** About how long the transcript is to be. */
  readonly bytes: number
  /** Said by the user in the middle of the session, word for word. */
  readonly needle: string | null
}

/** One transcript, every line with its newline. */
export function claudeTranscript(text: CorpusText, plan: SessionPlan): string {
  const { random } = text
  const lines: string[] = []
  let bytes = 0
  let atMs = plan.startMs
  let parentUuid: string | null = null

  function write(record: object): void {
    const line = `${JSON.stringify(record)}\n`
    bytes += line.length
    lines.push(line)
  }

  /** The members that come before and after what a record says. */
  function said(type: 'user' | 'assistant', message: object, rest: object = {}): void {
    atMs += between(random, 500, 30_000)
    const id = uuid(random)
    write({
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: plan.cwd,
      sessionId: plan.sessionId,
      version: '2.0.14',
      gitBranch: plan.branch,
      type,
      message,
      uuid: id,
      timestamp: new Date(atMs).toISOString(),
      ...rest,
    })
    parentUuid = id
  }

  function assistant(content: object): void {
    const message = {
      model: 'claude-sonnet-4-5',
      id: `msg_01${hex(random, 22)}`,
      type: 'message',
      role: 'assistant',
      content: [content],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: between(random, 1, 20),
        cache_creation_input_tokens: between(random, 100, 9000),
        cache_read_input_tokens: between(random, 9000, 150_000),
        cache_creation: {
          ephemeral_5m_input_tokens: between(random, 100, 9000),
          ephemeral_1h_input_tokens: 0,
        },
        output_tokens: between(random, 1, 900),
        service_tier: 'standard',
      },
    }
    said('assistant', message, { requestId: `req_011${hex(random, 21)}` })
  }

  function tool(): void {
    const id = `toolu_01${hex(random, 22)}`
    const use = toolUse(text, plan.cwd)
    assistant({ type: 'tool_use', id, name: use.name, input: use.input })
    const block = { tool_use_id: id, type: 'tool_result', content: use.content, is_error: false }
    said('user', { role: 'user', content: [block] }, { toolUseResult: use.result })
  }

  function turn(prompt: string): void {
    said('user', { role: 'user', content: prompt })
    write(snapshot(text, parentUuid, atMs))
    for (let step = between(random, 0, 14); step > 0; step--) {
      if (random() < 0.1)
        assistant({
          type: 'thinking',
          thinking: text.prose(units.thinking(random)),
          signature: hex(random, 340),
        })
      if (random() < 0.5) assistant({ type: 'text', text: text.prose(units.reply(random)) })
      tool()
    }
    assistant({ type: 'text', text: text.prose(units.reply(random) * 2) })
  }

  write({ type: 'ai-title', aiTitle: text.sentence(), sessionId: plan.sessionId })
  let isPlanted = plan.needle === null
  do {
    turn(text.prose(units.prompt(random)))
    if (isPlanted || bytes < plan.bytes / 2) continue
    turn(`${text.sentence()} ${plan.needle} ${text.sentence()}`)
    isPlanted = true
  } while (bytes < plan.bytes || !isPlanted)
  return lines.join('')
}

interface ToolUse {
  readonly name: string
  readonly input: object
  /** What the model is told. */
  readonly content: string
  /** The same once more, as the program keeps it for its own display. */
  readonly result: object
}

function toolUse(text: CorpusText, cwd: string): ToolUse {
  const { random } = text
  const kind = random()
  const filePath = `${cwd}/${text.path()}`
  if (kind < 0.4) {
    const stdout = text.output(units.output(random))
    const input = { command: text.command(), description: text.sentence() }
    return {
      name: 'Bash',
      input,
      content: stdout,
      result: { stdout, stderr: '', interrupted: false, isImage: false },
    }
  }
  if (kind < 0.65) {
    const startLine = between(random, 1, 400)
    const excerpt = text.excerpt(excerptLines(random))
    const file = {
      filePath,
      content: excerpt.join('\n'),
      numLines: excerpt.length,
      startLine,
      totalLines: 1200,
    }
    return {
      name: 'Read',
      input: { file_path: filePath, offset: startLine, limit: excerpt.length },
      content: numbered(excerpt, startLine),
      result: { type: 'text', file },
    }
  }
  if (kind < 0.9) {
    const original = text.excerpt(between(random, 40, 500))
    const oldLines = original.slice(0, 6)
    const newLines = text.excerpt(between(random, 1, 12))
    const patch = [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)]
    const change = { old_string: oldLines.join('\n'), new_string: newLines.join('\n') }
    return {
      name: 'Edit',
      input: { file_path: filePath, ...change },
      content: `The file ${filePath} has been updated. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${numbered(newLines, 1)}`,
      result: {
        filePath,
        oldString: change.old_string,
        newString: change.new_string,
        originalFile: original.join('\n'),
        structuredPatch: [{ oldStart: 1, oldLines: 6, newStart: 1, newLines: newLines.length, lines: patch }],
        userModified: false,
        replaceAll: false,
      },
    }
  }
  const found = Array.from({ length: between(random, 1, 30) }, () => `${cwd}/${text.path()}`)
  return {
    name: 'Grep',
    input: { pattern: text.identifier(), path: cwd, output_mode: 'files_with_matches' },
    content: `Found ${found.length} files\n${found.join('\n')}`,
    result: { mode: 'files_with_matches', filenames: found, numFiles: found.length },
  }
}

function numbered(lines: readonly string[], start: number): string {
  return lines.map((line, at) => `${String(start + at).padStart(6)}→${line}`).join('\n')
}

function snapshot(text: CorpusText, messageId: string | null, atMs: number): object {
  const timestamp = new Date(atMs).toISOString()
  const backups = Array.from({ length: between(text.random, 0, 6) }, () => [
    text.path(),
    { backupFileName: `${hex(text.random, 16)}@v1`, version: 1, backupTime: timestamp },
  ])
  const trackedFileBackups: object = Object.fromEntries(backups)
  return {
    type: 'file-history-snapshot',
    messageId,
    snapshot: { messageId, trackedFileBackups, timestamp },
    isSnapshotUpdate: false,
  }
}
