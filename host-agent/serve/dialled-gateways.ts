/** The gateways this host dials: `dialled-gateways.json` in the data directory. Tokens stand in clear: they are shown there. */
import { join } from 'node:path'
import * as z from 'zod'
import { keyPinPattern } from '../../protocol/link/key-pin.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

const gatewaySchema = z.object({
  /** `wss://…/agents` */
  url: z.string(),
  pin: z.string().regex(keyPinPattern),
  token: z.string(),
  /** What this host is called there. */
  executionHostId: z.string(),
})
export type DialledGateway = z.output<typeof gatewaySchema>

const fileSchema = z.object({ version: z.literal(1), gateways: z.array(gatewaySchema) })

const pathIn = (dataDir: string): string => join(dataDir, 'dialled-gateways.json')

/** @throws Error naming the file when others can read it, or when it is not one of ours. */
export async function loadDialledGateways(dataDir: string): Promise<DialledGateway[]> {
  const path = pathIn(dataDir)
  const text = await readPrivateFile(path)
  if (text === null) return []
  try {
    return fileSchema.parse(JSON.parse(text)).gateways
  } catch (cause) {
    throw new Error(`${path} cannot be read. Remove it, and connect with new invitations.`, { cause })
  }
}

/** @returns whether there was one at that address. */
export async function forgetDialledGateway(dataDir: string, address: string): Promise<boolean> {
  const known = await loadDialledGateways(dataDir)
  const left = known.filter(({ url }) => !isSameGateway(url, address))
  if (left.length === known.length) return false
  await save(dataDir, left)
  return true
}

/** @param given an address, with or without its path. */
export function isSameGateway(url: string, given: string): boolean {
  return URL.canParse(given) && new URL(given).host === new URL(url).host
}

/** A gateway is its key: one that is there already, at whatever address, is replaced. */
export async function saveDialledGateway(dataDir: string, gateway: DialledGateway): Promise<void> {
  const others = (await loadDialledGateways(dataDir)).filter(({ pin }) => pin !== gateway.pin)
  await save(dataDir, [...others, gateway])
}

async function save(dataDir: string, gateways: DialledGateway[]): Promise<void> {
  const file = { version: 1, gateways } satisfies z.output<typeof fileSchema>
  await writePrivateFile(pathIn(dataDir), `${JSON.stringify(file, null, 2)}\n`)
}
