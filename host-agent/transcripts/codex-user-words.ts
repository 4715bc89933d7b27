/** What a person said in the text of a Codex user message, and what the program put there. */
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'

export interface CodexWords {
  /** The person's own words; empty where there are none. */
  readonly words: string
  /** Shell lines the person ran, and notices: searched as tool text. */
  readonly asides: readonly string[]
}

const opening = openingTags([
  ...commonInjectedTags,
  'INSTRUCTIONS',
  'environment_context',
  'user_instructions',
  'turn_aborted',
  'user_action',
  'user_shell_command',
  'collaboration_mode',
  'apps_instructions',
  'plugins_instructions',
  'skills_instructions',
  'skill',
  'subagent_notification',
  'personality_spec',
  'model_switch',
  'hook_prompt',
  'image',
])
const asideTags = new Set(['user_shell_command', 'subagent_notification'])

const agentsHeader = '# AGENTS.md instructions'
const agentsEnd = '</INSTRUCTIONS>'
const ideHeader = '# Context from my IDE setup:'
const ideRequest = '## My request for Codex:'

export function codexUserWords(text: string): CodexWords {
  const { rest, blocks } = takeBlocks(withoutPreamble(text), opening)
  const asides = blocks.filter(({ tag }) => asideTags.has(tag)).map(({ content }) => content.trim())
  // An image's opening and closing tag come as texts of their own, with the picture between them.
  return { words: imageTag.test(rest) ? '' : rest, asides: asides.filter((aside) => aside !== '') }
}

const imageTag = /^<\/?image\b[^<>]*>$/

/** Project instructions from their header to their end, and what an editor says of its state before the request. */
function withoutPreamble(text: string): string {
  const start = text.trimStart()
  if (start.startsWith(agentsHeader)) {
    const end = start.lastIndexOf(agentsEnd)
    return end === -1 ? '' : start.slice(end + agentsEnd.length)
  }
  if (start.startsWith(ideHeader)) {
    const request = start.indexOf(ideRequest)
    return request === -1 ? text : start.slice(request + ideRequest.length)
  }
  return text
}

/**
 * The parts of an assistant's text. A proposed plan comes inside the text in one family of records and as an item
 * of its own in another; references to remembered sessions are no words.
 */
export function codexAssistantParts(text: string): string[] {
  if (!text.includes('<')) return [text]
  const { rest, blocks } = takeBlocks(text, assistantTags)
  const plans = blocks.filter(({ tag }) => tag === 'proposed_plan').map(({ content }) => content.trim())
  return [rest, ...plans]
}

const assistantTags = openingTags(['proposed_plan', 'oai-mem-citation'])
