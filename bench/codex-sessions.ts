/** Made-up Codex rollouts: messages in both families of records, reasoning in cipher, tools by function call. */

import type { SessionPlan } from './claude-sessions.ts'
import { type CorpusText, excerptLines, units } from './corpus-text.ts'
import { between, hex } from './random.ts'

/** One rollout, every line with its newline. */
export function codexTranscript(text: CorpusText, plan: SessionPlan): string {
  const { random } = text
  const lines: string[] = []
  let bytes = 0
  let atMs = plan.startMs

  function write(type: string, payload: object): void {
    atMs += between(random, 50, 6000)
    const line = `${JSON.stringify({ timestamp: new Date(atMs).toISOString(), type, payload })}\n`
    bytes += line.length
    lines.push(line)
  }

  const item = (payload: object) => write('response_item', payload)
  const event = (payload: object) => write('event_msg', payload)

  function user(message: string): void {
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] })
    event({ type: 'user_message', message, images: [] })
  }

  function assistant(message: string): void {
    event({ type: 'agent_message', message })
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: message }] })
  }

  function reasoning(): void {
    const summary = `**${text.sentence()}**`
    event({ type: 'agent_reasoning', text: summary })
    item({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: summary }],
      content: null,
      encrypted_content: hex(random, between(random, 600, 2400)),
    })
  }

  function tool(): void {
    const callId = `call_${hex(random, 24)}`
    const command = text.command()
    item({
      type: 'function_call',
      name: 'shell',
      arguments: JSON.stringify({ command: ['bash', '-lc', command], workdir: plan.cwd }),
      call_id: callId,
    })
    const isListing = random() < 0.4
    const output = isListing
      ? text.excerpt(excerptLines(random)).join('\n')
      : text.output(units.output(random))
    const metadata = { exit_code: 0, duration_seconds: between(random, 1, 90) / 10 }
    item({ type: 'function_call_output', call_id: callId, output: JSON.stringify({ output, metadata }) })
  }

  function turn(prompt: string): void {
    write('turn_context', {
      cwd: plan.cwd,
      approval_policy: 'never',
      sandbox_policy: { type: 'workspace-write', network_access: false },
      model: 'gpt-5-codex',
      effort: 'medium',
      summary: 'auto',
    })
    user(prompt)
    for (let step = between(random, 0, 14); step > 0; step--) {
      if (random() < 0.6) reasoning()
      if (random() < 0.3) assistant(text.prose(units.reply(random)))
      tool()
      event({ type: 'token_count', info: tokenCounts(random), rate_limits: null })
    }
    assistant(text.prose(units.reply(random) * 2))
  }

  write('session_meta', {
    id: plan.sessionId,
    timestamp: new Date(plan.startMs).toISOString(),
    cwd: plan.cwd,
    originator: 'codex_cli_rs',
    cli_version: '0.98.0',
    source: 'cli',
    instructions: text.prose(6000),
    git: {
      branch: plan.branch,
      commit_hash: hex(random, 40),
      repository_url: 'https://example.invalid/repo.git',
    },
  })
  item({
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: `<environment_context>\n<cwd>${plan.cwd}</cwd>\n</environment_context>` },
    ],
  })
  let isPlanted = plan.needle === null
  do {
    turn(text.prose(units.prompt(random)))
    if (isPlanted || bytes < plan.bytes / 2) continue
    turn(`${text.sentence()} ${plan.needle} ${text.sentence()}`)
    isPlanted = true
  } while (bytes < plan.bytes || !isPlanted)
  return lines.join('')
}

function tokenCounts(random: () => number): object {
  const usage = () => ({
    input_tokens: between(random, 1000, 200_000),
    cached_input_tokens: between(random, 1000, 200_000),
    output_tokens: between(random, 10, 4000),
    reasoning_output_tokens: between(random, 0, 2000),
    total_tokens: between(random, 1000, 200_000),
  })
  return { total_token_usage: usage(), last_token_usage: usage(), model_context_window: 272_000 }
}
