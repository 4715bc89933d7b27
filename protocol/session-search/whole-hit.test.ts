import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hit, hitSchema } from './hit.ts'
import { isWholeHit } from './whole-hit.ts'

const full: Hit = {
  executionHostId: 'local',
  agent: 'claude',
  sessionId: 's',
  title: '',
  cwd: '/work',
  branch: 'main',
  updatedAt: '2026-01-01T00:00:00.000Z',
  messageCount: 2,
  score: -1.5,
  source: { presence: 'present', filePath: '/a', codexHome: '/b' },
  evidence: {
    snippet: '[[a]]',
    role: 'tool',
    timestamp: null,
    messageIndex: 3,
    further: [{ snippet: '[[b]]', role: 'user', timestamp: '2026-01-01T00:00:00.000Z', messageIndex: 0 }],
  },
  duplicateCount: 2,
  resumeCommand: 'claude --resume s',
  cursor: 'c',
}

const further = { snippet: '', role: 'user', timestamp: null }

function withFurther(message: object): object {
  return { ...full, evidence: { ...full.evidence, further: [message] } }
}

const bare: Hit = {
  agent: 'codex',
  sessionId: 's',
  title: 't',
  cwd: null,
  branch: null,
  updatedAt: null,
  messageCount: 0,
  score: 0,
  source: { presence: 'missing' },
  evidence: null,
}

/** Any value in place of any member, on any level, and members taken away or put in. */
const anyMember = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    '',
    'x',
    'Claude',
    'user',
    'missing',
    -1,
    0.5,
    2 ** 60,
    Number.NaN,
    [],
    {},
  ),
  fc.anything(),
)
const path = fc.constantFrom<readonly string[]>(
  ...Object.keys(hitSchema.shape).map((key) => [key]),
  ...['presence', 'filePath', 'codexHome', 'other'].map((key) => ['source', key]),
  ...['snippet', 'role', 'timestamp', 'messageIndex', 'further', 'other'].map((key) => ['evidence', key]),
  ...['snippet', 'role', 'timestamp', 'messageIndex', 'other'].map((key) => [
    'evidence',
    'further',
    '0',
    key,
  ]),
  ['other'],
  ['__proto__'],
)
const changed = fc
  .tuple(
    fc.constantFrom(full, bare),
    fc.array(fc.record({ path, value: anyMember, isRemoved: fc.boolean() }), { maxLength: 3 }),
  )
  .map(([hit, changes]) => changes.reduce<unknown>(change, structuredClone(hit)))

function change(
  value: unknown,
  {
    path: [key = '', ...rest],
    value: member,
    isRemoved,
  }: { path: readonly string[]; value: unknown; isRemoved: boolean },
): unknown {
  if (typeof value !== 'object' || value === null) return value
  const copy: object = Array.isArray(value) ? [...value] : { ...value }
  const next =
    rest.length === 0 ? member : change(Reflect.get(copy, key), { path: rest, value: member, isRemoved })
  Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true })
  if (rest.length === 0 && isRemoved) Reflect.deleteProperty(copy, key)
  return copy
}

describe('isWholeHit', () => {
  it('knows a hit with every member the schema has, and one with only those it must have', () => {
    expect(Object.keys(full).toSorted()).toEqual(Object.keys(hitSchema.shape).toSorted())
    expect(isWholeHit(full)).toBe(true)
    expect(isWholeHit(bare)).toBe(true)
  })

  it('takes nothing that the schema would refuse or change', () => {
    let taken = 0
    fc.assert(
      fc.property(changed, (value) => {
        if (!isWholeHit(value)) return
        taken++
        const parsed = hitSchema.safeParse(value)
        expect(parsed.success).toBe(true)
        expect(Object.entries(parsed.data ?? {}).toSorted()).toEqual(Object.entries(value).toSorted())
      }),
      { numRuns: 3000 },
    )
    expect(taken).toBeGreaterThan(300)
  })

  it.each([
    ['an unknown member', { ...bare, other: 1 }],
    ['an unknown member of its source', { ...bare, source: { presence: 'present', other: 1 } }],
    ['an unknown member of its evidence', { ...full, evidence: { ...full.evidence, other: 1 } }],
    ['an unknown member of a further message', withFurther({ ...further, other: 1 })],
    ['a further message within a further message', withFurther({ ...further, further: [] })],
    ['a list in place of an object', { ...bare, source: ['present'] }],
    ['an agent name that is none', { ...bare, agent: 'Claude Code' }],
  ])('leaves %s to the schema', (_, value) => {
    expect(isWholeHit(value)).toBe(false)
  })
})
