/** There may be no Docker where this runs: the file is read, and what it names is looked up. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../../gateway/config.ts'
import { repositoryRoot } from '../helpers/bundle.ts'

interface Service {
  build: { context: string; dockerfile: string }
  command: string[]
  volumes?: string[]
  ports?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
}

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, null>
}
const services = Object.entries(compose.services)

describe('docker-compose.yml', () => {
  it('has a gateway, a dev box with sshd and a runtime host, each from the one Dockerfile', () => {
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(['gateway', 'devbox', 'runtime']))
    expect(compose.services.devbox?.command[0]).toBe('/usr/sbin/sshd')
    for (const [, { build }] of services)
      expect(existsSync(join(repositoryRoot, build.context, build.dockerfile))).toBe(true)
  })

  it.each(services)('%s names only files, volumes and services that exist', (_name, service) => {
    const words = service.command.concat(Object.values(service.healthcheck?.test ?? []))
    for (const word of words) {
      const inProject = /^(?:\/trawl\/)?((?:demo|bin)\/\S+)$/.exec(word)?.[1]
      if (inProject !== undefined) expect(existsSync(join(repositoryRoot, inProject)), word).toBe(true)
    }
    for (const volume of service.volumes ?? [])
      expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0])
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect(compose.services).toHaveProperty(other)
      if (condition === 'service_healthy') expect(compose.services[other]?.healthcheck).toBeDefined()
    }
  })

  it('publishes no port beyond loopback', () => {
    for (const [, { ports = [] }] of services)
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  })

  it('gives the gateway a configuration that names the other two by their services', () => {
    const file = 'demo/compose/gateway.toml'
    const text = read(file).replace(/^tokenFile = .*$/m, 'token = "stands in for a file of the container"')
    const { hosts, quarantined, warnings } = parseConfig(text, {
      file,
      homeDir: '/root',
      isOpenToOthers: false,
      isThere: true,
    })
    expect(quarantined).toEqual([])
    expect(hosts.map(({ id }) => id)).toEqual(['ssh:devbox', 'runtime:ci'])
    expect(warnings.filter((warning) => warning.includes('unknown key'))).toEqual([])
    const runtime = hosts.find((host) => host.kind === 'runtime-dialled')
    expect(compose.services).toHaveProperty(new URL(runtime?.url ?? '').hostname)
    expect(read('demo/compose/ssh_config')).toMatch(/HostName devbox/)
  })
})
