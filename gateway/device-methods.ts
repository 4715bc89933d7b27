/** The methods `devices.*`: pairing a web or mobile client, and ending that (wire.md §3). */
import type { RpcMethod } from '../protocol/rpc/dispatch.ts'
import { TrawlError } from '../protocol/rpc/errors.ts'
import { type MethodName, methodTable, parseParams } from '../protocol/rpc/methods.ts'
import type { DeviceOffers } from './access/device-offers.ts'
import type { Devices } from './access/devices.ts'
import type { Traffic } from './access/traffic.ts'

export interface DeviceDesk {
  readonly devices: Devices
  /** Present where there is a door at which a code could be redeemed. */
  readonly offers?: DeviceOffers
  readonly connectionsOf: Traffic['connectionsOf']
}

export function deviceMethods(desk: DeviceDesk | undefined): [MethodName, RpcMethod][] {
  if (desk === undefined) return []
  const { devices, connectionsOf } = desk

  const list = () =>
    devices.list().map((device) => ({ ...device, connections: connectionsOf(`device:${device.name}`) }))

  function offers(): DeviceOffers {
    if (desk?.offers !== undefined) return desk.offers
    throw new TrawlError('unsupported', 'Clients pair with a gateway that runs. Start it: trawl serve')
  }

  return [
    ['devices.list', () => ({ devices: list() })],
    [
      'devices.offer',
      (params) => offers().offer(parseParams(methodTable['devices.offer'].gateway, params).url),
    ],
    [
      'devices.await',
      async (params, { signal }) =>
        await offers().await(parseParams(methodTable['devices.await'].gateway, params), signal),
    ],
    [
      'devices.decide',
      async (params) => {
        const name = await offers().decide(parseParams(methodTable['devices.decide'].gateway, params))
        return { device: list().find((device) => device.name === name) ?? null }
      },
    ],
    [
      'devices.revoke',
      async (params) => {
        const { name } = parseParams(methodTable['devices.revoke'].gateway, params)
        const closedConnections = connectionsOf(`device:${name}`)
        if (!(await devices.revoke(name)))
          throw new TrawlError('not_found', `No device of the name ${JSON.stringify(name)} is paired`)
        return { name, closedConnections }
      },
    ],
  ]
}
