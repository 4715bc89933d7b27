import { defineConfig } from 'vitest/config'

/**
 * Two projects. `unit` runs in shared threads, so nothing in the product may keep module-level state.
 * `integration` holds what starts processes, sockets or servers: one fork a file, two at a time.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'protocol/**/*.test.ts',
            'host-agent/**/*.test.ts',
            'gateway/**/*.test.ts',
            'bench/**/*.test.ts',
            'test/unit/**/*.test.ts',
            'test/conformance/**/*.test.ts',
            'test/contract/**/*.test.ts',
          ],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/fault/**/*.test.ts'],
          pool: 'forks',
          isolate: true,
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          pool: 'forks',
          isolate: true,
          maxWorkers: 1,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
