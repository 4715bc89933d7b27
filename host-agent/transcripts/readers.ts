/** The coding agents whose sessions are read. Who adds one adds a file and a line here. */
import { aiderReader } from './aider.ts'
import { ampReader } from './amp.ts'
import { antigravityReader } from './antigravity.ts'
import { claudeReader } from './claude.ts'
import { clineReader } from './cline.ts'
import { codebuddyReader } from './codebuddy.ts'
import { codexReader } from './codex.ts'
import { copilotReader } from './copilot.ts'
import { copilotChatReader } from './copilot-chat.ts'
import { crushReader } from './crush.ts'
import { cursorReader } from './cursor.ts'
import { cursorDesktopReader } from './cursor-desktop.ts'
import { devinReader } from './devin.ts'
import { droidReader } from './droid.ts'
import { geminiReader } from './gemini.ts'
import { gooseReader } from './goose.ts'
import { grokReader } from './grok.ts'
import { hermesReader } from './hermes.ts'
import { jcodeReader } from './jcode.ts'
import { kiloReader } from './kilo.ts'
import { kimiReader } from './kimi.ts'
import { kiroReader } from './kiro.ts'
import { museReader } from './muse.ts'
import { ompReader } from './omp.ts'
import { openclawReader } from './openclaw.ts'
import { opencodeReader } from './opencode.ts'
import { piReader } from './pi.ts'
import { primeAgentReader } from './prime-agent.ts'
import { qoderReader } from './qoder.ts'
import { qwenReader } from './qwen.ts'
import type { TranscriptReader } from './reader.ts'
import { rooReader } from './roo.ts'
import { rovoReader } from './rovo.ts'
import { zcodeReader } from './zcode.ts'
import { zedReader } from './zed.ts'

export function transcriptReaders(): readonly TranscriptReader[] {
  return [
    claudeReader(),
    codexReader(),
    hermesReader(),
    piReader(),
    ompReader(),
    primeAgentReader(),
    cursorReader(),
    geminiReader(),
    antigravityReader(),
    rovoReader(),
    copilotReader(),
    opencodeReader(),
    grokReader(),
    openclawReader(),
    devinReader(),
    droidReader(),
    clineReader(),
    kimiReader(),
    qwenReader(),
    ampReader(),
    aiderReader(),
    gooseReader(),
    rooReader(),
    kiloReader(),
    kiroReader(),
    qoderReader(),
    codebuddyReader(),
    jcodeReader(),
    zcodeReader(),
    museReader(),
    crushReader(),
    zedReader(),
    copilotChatReader(),
    cursorDesktopReader(),
  ]
}

/** The reader for a contract agent name, undefined for an agent that is not read. */
export function readerFor(agent: string): TranscriptReader | undefined {
  return transcriptReaders().find((reader) => reader.agent === agent)
}
