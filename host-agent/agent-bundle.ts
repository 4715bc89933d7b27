/**
 * The agent as one file, for machines it is pushed to: started as a program it is the command, started as a thread it is
 * the indexing worker. Entry of dist/agent-bundle/.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) await import('./agent-start.ts')
else await import('./indexing/worker.ts')
