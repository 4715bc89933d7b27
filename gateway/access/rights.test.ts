import { describe, expect, it } from 'vitest'
import { type MethodName, methodTable } from '../../protocol/rpc/methods.ts'
import type { Caller } from './caller.ts'
import { guarded } from './rights.ts'

const names = Object.keys(methodTable) as MethodName[]
const mayCall = (caller: Caller) =>
  names.filter((name) => {
    try {
      return guarded(name, caller, () => 'answered')({}, { signal: AbortSignal.abort(), notify: () => {} })
    } catch (error) {
      expect(error).toMatchObject({ code: 'forbidden' })
      return false
    }
  })

describe('guarded', () => {
  it('lets the owner of the machine do everything', () => {
    expect(mayCall({ exposure: 'ipc', name: 'same-user' })).toEqual(names)
    expect(mayCall({ exposure: 'runtime', name: 'local-token' })).toEqual(names)
  })

  it('lets a client do what it was given, and administer nothing', () => {
    const device = { exposure: 'relay', name: 'device:phone' } as const
    const open = ['hosts.list', 'caller.describe', 'host.describe']
    expect(mayCall({ ...device, may: [] })).toEqual(open)
    expect(mayCall({ ...device, may: ['search'] })).toEqual([
      'aiVault.searchSessions',
      'aiVault.searchStatus',
      ...open,
    ])
    expect(mayCall({ ...device, may: ['read'] })).toEqual(['aiVault.readSession', ...open])
    const everything = mayCall({ ...device, may: ['search', 'read', 'files'] })
    expect(everything.filter((name) => /^(devices\.|hosts\.(add|remove|invite|retry))/.test(name))).toEqual(
      [],
    )
  })
})
