/** One sample for each agent: who adds a reader adds a line here. */
import type { ConformanceSample } from './sample.ts'
import { claudeSample } from './samples/claude.ts'
import { codexSample } from './samples/codex.ts'

export const samples: readonly ConformanceSample[] = [claudeSample, codexSample]
