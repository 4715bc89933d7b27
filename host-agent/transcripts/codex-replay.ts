/**
 * A forked Codex session's file begins with a copy of its parent: the parent's `session_meta`, then its records,
 * mostly stamped anew with the moment of the fork. The copy belongs to the parent; this tells where it ends.
 */
import * as z from 'zod'
import { type JsonRecord, recordAt, stringAt } from './json-record.ts'
import { timestampMs, uuidV7Ms } from './timestamps.ts'

/** A copy is written in one go; a pause this long within the file means that somebody thought in between. */
const pauseMs = 1000

export const replayState = z.object({
  ownId: z.string().nullable(),
  /** The first `session_meta` names a thread that this one came from. */
  hasParent: z.boolean(),
  forkedAtMs: z.number().nullable(),
  replaying: z.boolean(),
  /** The end of the copy is certain, and no later record puts it in doubt. */
  settled: z.boolean(),
  lastMs: z.number().nullable(),
})
export type ReplayState = z.infer<typeof replayState>

export function newReplay(): ReplayState {
  return {
    ownId: null,
    hasParent: false,
    forkedAtMs: null,
    replaying: false,
    settled: false,
    lastMs: null,
  }
}

/** Takes a `session_meta`; true where it is the file's own, the first one or the first one again. */
export function isOwnMeta(state: ReplayState, payload: JsonRecord, atMs: number | null): boolean {
  const id = stringAt(payload, 'id') ?? ''
  if (state.ownId === null) {
    state.ownId = id
    state.hasParent = parentOf(payload) !== null || stringAt(payload, 'forked_from_id') !== null
    state.forkedAtMs = uuidV7Ms(id) ?? timestampMs(payload.timestamp) ?? atMs
    state.lastMs = atMs
    return true
  }
  if (id === state.ownId) {
    state.settled ||= state.replaying
    state.replaying = false
    return true
  }
  state.replaying = true
  return false
}

/**
 * Whether any other record is part of the copy. Turn ids are version 7 UUIDs made when the turn began: one made
 * before the fork is copied, one made since is the file's own, whatever the stamps say. Where there is no such id
 * (older files), the copy ends at the first record stamped after the fork and after a pause.
 */
export function isReplayed(state: ReplayState, payload: JsonRecord, atMs: number | null): boolean {
  if (state.settled || !(state.replaying || state.hasParent)) return false
  const turnMs = turnStartMs(payload)
  if (turnMs !== null && state.forkedAtMs !== null) {
    state.settled = turnMs >= state.forkedAtMs
    state.replaying = !state.settled
  } else if (state.replaying && isAfterPause(state, atMs)) {
    state.replaying = false
  }
  state.lastMs = atMs ?? state.lastMs
  return state.replaying
}

/** The thread that started this one, where the record names it. */
export function parentOf(payload: JsonRecord): string | null {
  const spawn = recordAt(recordAt(recordAt(payload, 'source'), 'subagent'), 'thread_spawn')
  return stringAt(payload, 'parent_thread_id') ?? stringAt(spawn, 'parent_thread_id')
}

function isAfterPause(state: ReplayState, atMs: number | null): boolean {
  if (atMs === null || state.lastMs === null) return false
  return atMs >= (state.forkedAtMs ?? atMs) && atMs - state.lastMs >= pauseMs
}

function turnStartMs(payload: JsonRecord): number | null {
  const id =
    stringAt(payload, 'turn_id') ??
    stringAt(recordAt(payload, 'internal_chat_message_metadata_passthrough'), 'turn_id') ??
    stringAt(recordAt(payload, 'metadata'), 'turn_id')
  return id === null ? null : uuidV7Ms(id)
}
