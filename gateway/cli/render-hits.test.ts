import { describe, expect, it } from 'vitest'
import type { Hit } from '../../protocol/session-search/hit.ts'
import { renderHitForPipe, renderHitForTerminal } from './render-hits.ts'
import { createStyle } from './style.ts'
import { createTextMeasure } from './text-width.ts'

const nowMs = Date.parse('2026-11-30T12:00:00Z')
const measure = createTextMeasure()
const hit: Hit = {
  executionHostId: 'ssh:devbox',
  agent: 'claude',
  sessionId: '4f1c',
  title: 'Fix the reconnect loop',
  cwd: '/home/mira/src/gateway',
  branch: 'main',
  updatedAt: '2026-11-30T10:00:00Z',
  messageCount: 12,
  score: 1,
  source: { presence: 'present' },
  evidence: {
    snippet: '…the [[reconnect loop]] never resets its back-off, because the timer is armed before…',
    role: 'assistant',
    timestamp: null,
  },
}

const show = (overrides: Partial<Hit> = {}, columns = 110, isColour = false) =>
  renderHitForTerminal(
    { ...hit, ...overrides },
    {
      columns,
      nowMs,
      measure,
      style: createStyle({ write: () => {}, isTTY: isColour }, {}, false),
      askedHostId: 'local',
    },
  )

describe('renderHitForTerminal', () => {
  it('shows title and place on one line and the snippet below', () => {
    expect(show().split('\n')).toEqual([
      'Fix the reconnect loop                                        devbox · claude · ~/src/gateway (main) · 2 h ago',
      '  …the [reconnect loop] never resets its back-off, because the timer is armed before…                assistant',
      '',
    ])
  })

  it('shows matches bold on a colour terminal, without brackets', () => {
    const shown = show({}, 110, true)
    expect(shown).toContain('the \u001b[1mreconnect loop\u001b[22m never')
    expect(shown).not.toContain('[reconnect')
  })

  it.each([40, 59, 60, 80, 81, 110, 200])('keeps to %i columns, colour or not', (columns) => {
    const long = {
      title: '長い題名 '.repeat(30),
      cwd: `/Users/mira/${'deep/'.repeat(30)}end`,
      branch: 'feature/with-a-name',
      evidence: {
        snippet: `${'before '.repeat(30)}[[hit 👩‍👩‍👧]]${' after'.repeat(30)}`,
        role: 'user' as const,
        timestamp: null,
      },
    }
    for (const isColour of [false, true]) {
      const lines = show(long, columns, isColour)
        .trimEnd()
        .replaceAll(/\u001b\[\d+m/g, '')
        .split('\n')
      for (const line of lines) expect(measure.width(line)).toBeLessThanOrEqual(columns)
      expect(lines.join('\n')).toContain('hit 👩‍👩‍👧')
      expect(lines.join('\n')).toContain('2 h ago')
    }
  })

  it('gives the place a line of its own on a narrow terminal', () => {
    expect(show({}, 44).split('\n').slice(0, 2)).toEqual([
      'Fix the reconnect loop',
      '  devbox · claude · ~/src/gateway · 2 h ago',
    ])
  })

  it('says what a session lacks by leaving it out', () => {
    const bare = show({ title: '', cwd: null, branch: null, updatedAt: null, evidence: null })
    expect(bare.replaceAll(/ {2,}/g, '  ')).toBe('(no title)  devbox · claude\n')
  })

  it('names the asked host where a local answer names none', () => {
    const { executionHostId: _none, ...local } = hit
    expect(renderHitForPipe(local, 'local').split('\t')[0]).toBe('local')
  })

  it.each([
    ['/Users/mira/x', '~/x'],
    ['/root', '~ '],
    ['/rooted/x', '/rooted/x'],
    ['C:\\Users\\mira\\x', '~\\x'],
    ['/srv/app', '/srv/app'],
  ])('shortens the home of %s by its form', (cwd, shown) => expect(show({ cwd })).toContain(`· ${shown}`))

  it('[evidence.marks] takes only whole marks for marks', () => {
    const snippet = 'if [\u2060[ -f x ]\u2060] then [[a]] and ]] or [[open'
    const shown = show({ evidence: { snippet, role: 'tool', timestamp: null } })
    expect(shown).toContain('if [[ -f x ]] then [a] and ]] or [[open')
  })
})

describe('renderHitForPipe', () => {
  it('is one line with tabs between host, agent, session, time, title and snippet', () => {
    expect(renderHitForPipe(hit, 'all')).toBe(
      'ssh:devbox\tclaude\t4f1c\t2026-11-30T10:00:00Z\tFix the reconnect loop\t…the [reconnect loop] never resets its back-off, because the timer is armed before…\n',
    )
  })

  it('lets no tab, line end or escape sequence of a transcript through', () => {
    const nasty = '\u001b]0;pwned\u0007a\tb\nc\u001b[2J\r\u009b31md'
    const line = renderHitForPipe(
      {
        ...hit,
        title: nasty,
        sessionId: nasty,
        evidence: { snippet: `[[${nasty}]]${nasty}`, role: 'user', timestamp: null },
      },
      'all',
    )
    expect(line.split('\t')).toHaveLength(6)
    expect(line.trimEnd()).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/)
    expect(line).not.toContain('pwned')
  })
})
