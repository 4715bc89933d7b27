/** A machine whose every private place has a name that is easy to find again in what leaves it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { agentProgram, createRealHome, type RealHome } from './real-hosts.ts'
import { runProgram } from './served-gateway.ts'

/** What may not leave, by what it is. */
export type Plants = Readonly<Record<string, string>>

export interface PlantedHome extends RealHome {
  /** `[sources]` with the root that cannot be read, as it stands in its configuration. */
  readonly sources: string
  readonly configFile: string
  /** Of this machine's own. */
  readonly plants: Plants
}

export const sessionCount = 9

/** Of every machine alike. */
export const commonPlants: Plants = {
  'why it is degraded': 'is not a folder',
  'transcript folder': '-work-app',
  'transcript file': '.jsonl',
  'rollout file': 'rollout-',
  'resume command of Claude Code': 'claude --resume',
  'resume command of Codex': 'codex resume',
  'index file': 'index.sqlite',
  'what is broken inside': 'no such table',
  'program file': 'trawl-agent.js',
  'a stack': 'node:internal',
}

/** With nine sessions about a timer, of two agents, indexed. @param name goes into the name of every place. */
export async function plantHome(name = 'planted'): Promise<PlantedHome> {
  const home = await createRealHome(`${name}home`)
  const codexHome = join(dirname(home.homeDir), `${name}codex`)
  const degradedRoot = join(home.homeDir, `${name}degraded`)
  const configFile = join(dirname(home.homeDir), `${name}config.toml`)
  for (let at = 0; at < sessionCount; at++) {
    const day = `2026-01-0${at + 1}T00:00:00Z`
    const user = `plain words about timer ${at}`
    if (at % 2 === 0) await home.writeClaude({ sessionId: `s${at}`, at: day, user })
    else await home.writeCodex({ sessionId: codexId(at), at: day, user }, codexHome)
  }
  await writeFile(degradedRoot, 'a file where a folder should be')
  await mkdir(dirname(configFile), { recursive: true })
  const roots = [join(home.homeDir, '.claude/projects'), degradedRoot]
  const sources = `[sources]\nclaude = ${JSON.stringify(roots)}\n`
  await writeFile(configFile, sources, { mode: 0o600 })
  const env = { ...home.env, CODEX_HOME: codexHome, TRAWL_CONFIG: configFile }
  await runProgram(agentProgram, ['index'], env)
  return {
    ...home,
    env,
    sources,
    configFile,
    plants: {
      'the folder of everything': basename(dirname(home.homeDir)),
      'home directory': `${name}home`,
      'data directory': `${name}home-data`,
      'Codex home': `${name}codex`,
      'degraded root': `${name}degraded`,
      'configuration file': `${name}config`,
    },
  }
}

const codexId = (at: number) => `019b0000-0000-7000-8000-00000000000${at}`

/** Names of the plants that stand in the text, or in what it holds as base64url, cursors in cursors. */
export function foundPlants(captured: string, plants: Plants): string[] {
  const layers = layersOf(captured)
  return Object.entries(plants).flatMap(([name, text]) =>
    layers.some((layer) => layer.includes(text)) ? [name] : [],
  )
}

/** Bytes of the plants that stand there, each as often as it does. */
export function plantedBytes(captured: string, plants: Plants): number {
  const layers = layersOf(captured)
  return Object.values(plants).reduce(
    (sum, text) => sum + layers.reduce((of, layer) => of + (layer.split(text).length - 1) * text.length, 0),
    0,
  )
}

const mostLayers = 4

function layersOf(captured: string): string[] {
  const layers = [captured]
  for (let depth = 1; depth < mostLayers; depth++) {
    const words = layers[depth - 1]?.match(/[A-Za-z0-9_-]{16,}/g) ?? []
    layers.push(words.map((word) => Buffer.from(word, 'base64url').toString('latin1')).join('\n'))
  }
  return layers
}
