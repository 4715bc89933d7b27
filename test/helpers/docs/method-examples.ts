/** What the method reference says of a method beside its schemas: an exchange, and which errors are its own. */
import type * as z from 'zod'
import type { DeviceEntry } from '../../../protocol/rpc/devices.ts'
import type { ErrorCode } from '../../../protocol/rpc/errors.ts'
import type { MethodName, methodTable } from '../../../protocol/rpc/methods.ts'

interface MethodExample<Name extends MethodName> {
  readonly params: z.input<(typeof methodTable)[Name]['gateway']>
  readonly result: z.input<(typeof methodTable)[Name]['result']>
  /** Beside those that every call can end with. */
  readonly errors: readonly ErrorCode[]
}

const pixel: DeviceEntry = {
  name: 'Pixel 8',
  kind: 'mobile',
  exposure: 'relay',
  may: ['search', 'read'],
  createdAt: 1796646000000,
  lastSeenAt: 1796649600000,
  connections: 1,
}

export const methodExamples: { readonly [Name in MethodName]: MethodExample<Name> } = {
  'aiVault.searchSessions': {
    params: { query: 'reconnect loop agent:claude', executionHostId: 'all', limit: 1, paging: 'complete' },
    result: {
      kind: 'results',
      hits: [
        {
          executionHostId: 'ssh:devbox',
          agent: 'claude',
          sessionId: '139cf16e-4990-4efc-9bc0-4d1c39757fc7',
          title: 'Fix the reconnect loop',
          cwd: '/home/mira/fernpost-client',
          branch: 'main',
          updatedAt: '2026-11-30T09:12:44.000Z',
          messageCount: 42,
          score: 7.31,
          source: { presence: 'present' },
          evidence: {
            snippet: '…the [[reconnect loop]] never resets its back-off, because…',
            role: 'assistant',
            timestamp: '2026-11-30T09:10:02.000Z',
            messageIndex: 17,
          },
        },
      ],
      page: { cursor: 'eyJzc2g6ZGV2Ym94IjoiLi4uIn0', hasMore: true },
      generation: 118,
      truncated: { candidates: false, snippets: 1, query: false, freshness: false },
      durationMs: 34,
      hosts: [
        { executionHostId: 'local', outcome: 'results', durationMs: 6, hits: 0 },
        { executionHostId: 'ssh:devbox', outcome: 'results', durationMs: 31, hits: 1 },
        { executionHostId: 'runtime:ci', outcome: 'unreachable', reason: 'offline', durationMs: 0 },
      ],
    },
    errors: ['invalid_input', 'unknown_host', 'unreachable', 'timeout', 'response_too_large'],
  },
  'aiVault.searchStatus': {
    params: { executionHostId: 'ssh:devbox' },
    result: {
      enabled: true,
      phase: 'current',
      filesIndexed: 214,
      filesDue: 0,
      filesFailed: 0,
      degradedRoots: [{ reason: 'Source root could not be verified.' }],
      lastReconcileAt: 1796649600000,
      lastSweepCompletedAt: 1796649000000,
      generation: 118,
      sessions: 198,
      messages: 14210,
      writer: 'this-agent',
    },
    errors: ['invalid_input', 'unknown_host', 'unreachable', 'timeout'],
  },
  'aiVault.readSession': {
    params: {
      executionHostId: 'ssh:devbox',
      agent: 'claude',
      sessionId: '139cf16e-4990-4efc-9bc0-4d1c39757fc7',
      around: 17,
      limit: 1,
    },
    result: {
      kind: 'messages',
      messages: [
        {
          index: 17,
          role: 'assistant',
          text: 'I see it: the reconnect loop never resets its back-off, because the timer is armed first.',
          timestamp: '2026-11-30T09:10:02.000Z',
        },
      ],
      page: { cursor: 'bSwxOA', hasMore: true, startCursor: 'bSwxNw', previousCursor: 'bSwxNg' },
      session: {
        agent: 'claude',
        sessionId: '139cf16e-4990-4efc-9bc0-4d1c39757fc7',
        title: 'Fix the reconnect loop',
        messageCount: 42,
      },
    },
    errors: ['invalid_input', 'unknown_host', 'not_found', 'unreachable', 'timeout', 'response_too_large'],
  },
  'hosts.list': {
    params: {},
    result: {
      hosts: [
        {
          executionHostId: 'ssh:devbox',
          kind: 'ssh',
          label: 'devbox',
          state: 'ready',
          breaker: 'closed',
          retryAt: null,
          readyAt: 1796646000000,
          lastSeenAt: 1796649600000,
          roundTripMs: 12.4,
          version: '0.1.0',
          capabilities: ['session-search'],
        },
      ],
    },
    errors: [],
  },
  'hosts.retry': {
    params: { executionHostId: 'ssh:devbox' },
    result: {
      executionHostId: 'ssh:devbox',
      kind: 'ssh',
      label: 'devbox',
      state: 'offline',
      breaker: 'closed',
      reason: 'timeout',
      retryAt: 1796649602000,
      lastSeenAt: 1796649600000,
      roundTripMs: null,
      version: '0.1.0',
      capabilities: [],
    },
    errors: ['invalid_input', 'unknown_host'],
  },
  'hosts.invite': {
    params: { executionHostId: 'runtime:laptop' },
    result: {
      executionHostId: 'runtime:laptop',
      offer: 'trawl-pair.eyJ2IjoxLCJmcm9tIjoiZ2F0ZXdheSJ9',
      expiresAt: 1796649900000,
      urls: ['wss://192.168.1.20:7719/pair'],
    },
    errors: ['invalid_input', 'unsupported'],
  },
  'hosts.add': {
    params: { host: { id: 'ssh:devbox', label: 'the dev box', ssh: { keepAliveSec: 30 } } },
    result: { executionHostId: 'ssh:devbox', file: '/home/mira/.config/trawl/config.toml' },
    errors: ['invalid_input', 'unsupported'],
  },
  'hosts.remove': {
    params: { executionHostId: 'runtime:ci' },
    result: {
      executionHostId: 'runtime:ci',
      file: '/home/mira/.config/trawl/config.toml',
      pairing: 'ended',
    },
    errors: ['invalid_input', 'unknown_host', 'unsupported'],
  },
  'caller.describe': {
    params: {},
    result: { exposure: 'relay', device: { name: 'Pixel 8', may: ['search', 'read'] } },
    errors: [],
  },
  'host.describe': {
    params: { executionHostId: 'local' },
    result: {
      executionHostId: 'local',
      version: '0.1.0',
      protocol: 1,
      platform: 'linux',
      timeMs: 1796649600000,
      agents: [
        { agent: 'claude', label: 'Claude Code' },
        { agent: 'codex', label: 'Codex' },
      ],
      searchModes: ['text'],
      methods: ['aiVault.searchSessions', 'aiVault.searchStatus', 'aiVault.readSession', 'host.describe'],
      limits: { maxMessageBytes: 16777216, maxLimit: 100, maxQueryUnits: 512 },
    },
    errors: ['invalid_input', 'unknown_host', 'unreachable', 'timeout'],
  },
  'devices.offer': {
    params: {},
    result: {
      offerId: 'b0a1d7e2-6f7c-4a39-9a51-0f1f6f0f9c11',
      code: 'K7QM-4XPD',
      links: ['https://192.168.1.20:7717/#pair=K7QM-4XPD'],
      expiresAt: 1796649900000,
      isReachable: true,
    },
    errors: ['invalid_input', 'unsupported'],
  },
  'devices.await': {
    params: { offerId: 'b0a1d7e2-6f7c-4a39-9a51-0f1f6f0f9c11', seen: 'open' },
    result: { state: 'asking', request: { name: 'Pixel 8', kind: 'mobile', digits: '418203' } },
    errors: ['invalid_input', 'not_found', 'unsupported'],
  },
  'devices.decide': {
    params: { offerId: 'b0a1d7e2-6f7c-4a39-9a51-0f1f6f0f9c11', may: ['search', 'read'] },
    result: { device: pixel },
    errors: ['invalid_input', 'not_found', 'unsupported'],
  },
  'devices.list': { params: {}, result: { devices: [pixel] }, errors: [] },
  'devices.revoke': {
    params: { name: 'Pixel 8' },
    result: { name: 'Pixel 8', closedConnections: 1 },
    errors: ['invalid_input', 'not_found'],
  },
}
