/** Bytes that paired clients are sent of what they may not see, by a real gateway over three real hosts full of it. */
import { askGateway } from '../test/helpers/ask-gateway.ts'
import { startPlantedGateway } from '../test/helpers/planted-gateway.ts'
import { plantedBytes } from '../test/helpers/planted-home.ts'
import type { BenchRow, Measured } from './row.ts'

export const plantedBytesRow: BenchRow = {
  name: 'planted-bytes',
  what: 'bytes to paired clients that hold a planted path, token, command or home',
  unit: 'bytes',
  atMost: 0,
  measure: measurePlantedBytes,
}

async function measurePlantedBytes(): Promise<Measured> {
  await using gateway = await startPlantedGateway()
  await askGateway(gateway)
  const plants = gateway.plants()
  const [relay, owner] = [gateway.captured('relay'), gateway.captured('owner')]
  const toOwner = plantedBytes(owner, plants)
  if (toOwner === 0) throw new Error('the owner is not told of the plants: there was nothing to find')
  return {
    value: plantedBytes(relay, plants),
    detail: `${Math.round(relay.length / 1000)} kB over POST, WebSocket and MCP from ${gateway.hosts.length} hosts, rightly and wrongly asked; the owner, asked the same, was sent ${toOwner}`,
  }
}
