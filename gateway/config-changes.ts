/** What an edited configuration says that a gateway which runs does not take up. */
import { isDeepStrictEqual } from 'node:util'
import type { GatewayConfig } from './config.ts'

/** By the name that a person would look for. Hosts are not among them: those are taken up at once. */
const settings: Readonly<Record<string, (config: GatewayConfig) => unknown>> = {
  listen: (config) => config.listen,
  publicUrls: (config) => config.publicUrls,
  tls: (config) => config.tls,
  agentsListen: (config) => config.agentsListen,
  legTimeoutMs: (config) => config.legTimeoutMs,
  'the label of local': (config) => config.localLabel,
  sources: (config) => config.sources,
  index: (config) => config.index,
  agent: (config) => config.agent,
  'files.roots': (config) => config.fileRoots,
}

/** @returns the names of the settings that count from the next start on. */
export function settingsThatNeedRestart(running: GatewayConfig, edited: GatewayConfig): string[] {
  return Object.entries(settings)
    .filter(([, of]) => !isDeepStrictEqual(of(running), of(edited)))
    .map(([name]) => name)
}
