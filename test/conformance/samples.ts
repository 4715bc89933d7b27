/** One sample for each agent: who adds a reader adds a line here. */
import type { ConformanceSample } from './sample.ts'
import { aiderSample } from './samples/aider.ts'
import { ampSample } from './samples/amp.ts'
import { antigravitySample } from './samples/antigravity.ts'
import { claudeSample } from './samples/claude.ts'
import { clineSample } from './samples/cline.ts'
import { codebuddySample } from './samples/codebuddy.ts'
import { codexSample } from './samples/codex.ts'
import { copilotSample } from './samples/copilot.ts'
import { copilotChatSample } from './samples/copilot-chat.ts'
import { crushSample } from './samples/crush.ts'
import { cursorSample } from './samples/cursor.ts'
import { cursorDesktopSample } from './samples/cursor-desktop.ts'
import { devinSample } from './samples/devin.ts'
import { droidSample } from './samples/droid.ts'
import { geminiSample } from './samples/gemini.ts'
import { gooseSample } from './samples/goose.ts'
import { grokSample } from './samples/grok.ts'
import { hermesSample } from './samples/hermes.ts'
import { jcodeSample } from './samples/jcode.ts'
import { kiloSample } from './samples/kilo.ts'
import { kimiSample } from './samples/kimi.ts'
import { kiroSample } from './samples/kiro.ts'
import { museSample } from './samples/muse.ts'
import { ompSample } from './samples/omp.ts'
import { openclawSample } from './samples/openclaw.ts'
import { opencodeSample } from './samples/opencode.ts'
import { piSample } from './samples/pi.ts'
import { primeAgentSample } from './samples/prime-agent.ts'
import { qoderSample } from './samples/qoder.ts'
import { qwenSample } from './samples/qwen.ts'
import { rooSample } from './samples/roo.ts'
import { rovoSample } from './samples/rovo.ts'
import { zcodeSample } from './samples/zcode.ts'
import { zedSample } from './samples/zed.ts'

export const samples: readonly ConformanceSample[] = [
  claudeSample,
  codexSample,
  hermesSample,
  piSample,
  ompSample,
  primeAgentSample,
  cursorSample,
  geminiSample,
  antigravitySample,
  rovoSample,
  copilotSample,
  opencodeSample,
  grokSample,
  openclawSample,
  devinSample,
  droidSample,
  clineSample,
  kimiSample,
  qwenSample,
  ampSample,
  aiderSample,
  gooseSample,
  rooSample,
  kiloSample,
  kiroSample,
  qoderSample,
  codebuddySample,
  jcodeSample,
  zcodeSample,
  museSample,
  crushSample,
  zedSample,
  copilotChatSample,
  cursorDesktopSample,
]
