/** One Codex record in the shape all versions have in common, and the records that say nothing to search for. */
import { asRecord, type JsonRecord, recordAt, stringAt } from './json-record.ts'
import { timestampMs } from './timestamps.ts'

export interface CodexRecord {
  readonly type: string
  readonly payload: JsonRecord
  readonly atMs: number | null
}

/** `{timestamp, type, payload}`; very old files hold the bare payload, which is put into the same shape. */
export function codexRecord(record: JsonRecord): CodexRecord {
  const atMs = timestampMs(record.timestamp ?? record.created_at)
  const type = stringAt(record, 'type')
  const payload = asRecord(record.payload)
  if (payload !== null) return { type: type ?? '', payload, atMs }
  const role = stringAt(record, 'role')
  if (role !== null) {
    const content = record.content ?? record.message
    return { type: 'response_item', payload: { type: 'message', role, content }, atMs }
  }
  if (type !== null) return { type: 'response_item', payload: record, atMs }
  if (stringAt(record, 'id') !== null) return { type: 'session_meta', payload: record, atMs }
  return { type: stringAt(record, 'record_type') ?? '', payload: recordAt(record, 'payload'), atMs }
}

export const silentRecords: ReadonlySet<string> = new Set([
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'state',
])

/** Response items and completed items: packed history, snapshots, what only the program reads. */
export const silentItems: ReadonlySet<string> = new Set([
  'ghost_snapshot',
  'compaction',
  'compaction_summary',
  'context_compaction',
  'ContextCompaction',
  'tool_search_output',
  'ImageView',
  'ImageGeneration',
  'EnteredReviewMode',
  'ExitedReviewMode',
  'HookPrompt',
  'SubAgentActivity',
  'CollabAgentToolCall',
  'Sleep',
  'other',
])

/** Events of progress and state. What a review found and what a turn said last comes as a message as well. */
export const silentEvents: ReadonlySet<string> = new Set([
  'token_count',
  'task_started',
  'task_complete',
  'turn_started',
  'turn_complete',
  'turn_aborted',
  'turn_diff',
  'plan_update',
  'context_compacted',
  'exited_review_mode',
  'thread_settings_applied',
  'thread_rolled_back',
  'undo_started',
  'undo_completed',
  'session_configured',
  'agent_reasoning_section_break',
  'item_started',
  'exec_command_begin',
  'mcp_tool_call_begin',
  'web_search_begin',
  'patch_apply_begin',
  'patch_apply_updated',
  'image_generation_begin',
  'guardian_assessment',
  'sub_agent_activity',
  'collab_agent_spawn_begin',
  'collab_agent_spawn_end',
  'collab_agent_interaction_begin',
  'collab_agent_interaction_end',
  'collab_waiting_begin',
  'collab_waiting_end',
  'collab_close_begin',
  'collab_close_end',
  'collab_resume_begin',
  'collab_resume_end',
  'background_event',
  'stream_error',
  'warning',
  'deprecation_notice',
  'model_reroute',
  'hook_started',
  'hook_completed',
  'shutdown_complete',
])
