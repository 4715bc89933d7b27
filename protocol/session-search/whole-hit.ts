/**
 * Tells at a glance whether a value is a hit exactly as the schema has it, with nothing to strip and nothing to mend.
 * An `all` answer brings thousands of hits, nearly all of them so; parsing each by the schema makes forty objects of
 * every one, and that was a quarter of the gateway's time. Whatever is not plainly a hit goes to the schema.
 */

import { agentNamePattern } from './agent-name.ts'
import type { Hit } from './hit.ts'

const requiredMembers = 10

/** True only where `hitSchema` would give back an equal value. False tells nothing. */
export function isWholeHit(value: unknown): value is Hit {
  if (!isRecord(value)) return false
  const { executionHostId, resumeCommand, cursor, duplicateCount } = value
  const members =
    requiredMembers + given(executionHostId) + given(resumeCommand) + given(cursor) + given(duplicateCount)
  return (
    // A member too many is one this version does not know, and has to be stripped.
    Object.keys(value).length === members &&
    typeof value.agent === 'string' &&
    agentNamePattern.test(value.agent) &&
    typeof value.sessionId === 'string' &&
    value.sessionId !== '' &&
    typeof value.title === 'string' &&
    isTextOrNull(value.cwd) &&
    isTextOrNull(value.branch) &&
    isTextOrNull(value.updatedAt) &&
    isCount(value.messageCount) &&
    Number.isFinite(value.score) &&
    isWholeSource(value.source) &&
    (value.evidence === null || isWholeEvidence(value.evidence)) &&
    isTextOrAbsent(executionHostId) &&
    isTextOrAbsent(resumeCommand) &&
    isTextOrAbsent(cursor) &&
    isCountOrAbsent(duplicateCount)
  )
}

function isWholeSource(value: unknown): value is Hit['source'] {
  if (!isRecord(value)) return false
  const { presence, filePath, codexHome } = value
  return (
    Object.keys(value).length === 1 + given(filePath) + given(codexHome) &&
    (presence === 'present' || presence === 'unverifiable' || presence === 'missing') &&
    isTextOrAbsent(filePath) &&
    isTextOrAbsent(codexHome)
  )
}

function isWholeEvidence(value: unknown): value is NonNullable<Hit['evidence']> {
  if (!isRecord(value)) return false
  const { further } = value
  if (further === undefined) return isWholeMessage(value, 0)
  return (
    isWholeMessage(value, 1) &&
    Array.isArray(further) &&
    further.every((message) => isWholeMessage(message, 0))
  )
}

/** @param others members that were looked at elsewhere. */
function isWholeMessage(value: unknown, others: 0 | 1): boolean {
  if (!isRecord(value)) return false
  const { snippet, role, timestamp, messageIndex } = value
  return (
    Object.keys(value).length === 3 + given(messageIndex) + others &&
    typeof snippet === 'string' &&
    (role === 'user' || role === 'assistant' || role === 'tool') &&
    isTextOrNull(timestamp) &&
    isCountOrAbsent(messageIndex)
  )
}

function given(value: unknown): 0 | 1 {
  return value === undefined ? 0 : 1
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isCountOrAbsent(value: unknown): boolean {
  return value === undefined || isCount(value)
}

function isTextOrNull(value: unknown): boolean {
  return typeof value === 'string' || value === null
}

function isTextOrAbsent(value: unknown): boolean {
  return typeof value === 'string' || value === undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
