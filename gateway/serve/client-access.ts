/**
 * What the TCP door needs to let web and mobile clients in: who is paired, how they are paired, under which names they
 * may ask, how much, and with which key TLS is spoken. Beyond loopback it is TLS, unless plain was asked for by a flag.
 */
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import type { Clock } from '../../protocol/clock.ts'
import { formatKeyPin } from '../../protocol/link/key-pin.ts'
import { reachableUrls } from '../../protocol/link/reachable-urls.ts'
import { createDeviceOffers, type DeviceOffers } from '../access/device-offers.ts'
import { type Devices, loadDevices } from '../access/devices.ts'
import { isLoopbackHost, type KnownNames } from '../access/origin.ts'
import { loadGatewayKey } from '../access/paired-agents.ts'
import { createTraffic, type Traffic, type TrafficLimits } from '../access/traffic.ts'
import type { GatewayConfig } from '../config.ts'
import type { ListenAddress } from '../config-schema.ts'
import { Refusal, systemCode } from '../refusal.ts'

export interface ClientAccessOptions {
  readonly config: Pick<GatewayConfig, 'publicUrls' | 'tls'>
  readonly listen: ListenAddress
  /** Plain beyond loopback too: tokens and transcripts go in the clear. */
  readonly isInsecure: boolean
  readonly dataDir: string
  readonly clock: Clock
  /** Absent, the usual ones. */
  readonly limits?: TrafficLimits
  createId(): string
}

/** PEM texts. */
export interface TlsFiles {
  readonly key: string
  readonly cert: string
}

export interface ClientAccess {
  readonly devices: Devices
  readonly offers: DeviceOffers
  readonly traffic: Traffic
  readonly names: KnownNames
  /** Null where the door is plain. */
  readonly tls: TlsFiles | null
  /**
   * Reads the certificate of the configuration again.
   * @returns null where there is none, or it is as it was. @throws Refusal `configuration`: the old one stays in use.
   */
  renewCertificate(): Promise<TlsFiles | null>
  /** To be told where the door was opened, if the system chose its port. */
  isOpenAt(address: ListenAddress): void
}

/** @throws Refusal `permission`, `configuration`: a file of the data directory, or the certificate, cannot be used. */
export async function openClientAccess(options: ClientAccessOptions): Promise<ClientAccess> {
  const { config, listen, dataDir, clock, isInsecure } = options
  const isBeyond = !isLoopbackHost(listen.host)
  const own = await loadGatewayKey(dataDir, clock.now())
  const files = isInsecure ? null : config.tls
  let given = files === null ? null : await readCertificate(files)
  const tls = given ?? (isBeyond && !isInsecure ? own : null)
  const devices = await loadDevices(dataDir, clock)
  let address = listen
  return {
    devices,
    traffic: createTraffic(clock, options.limits),
    names: knownNames(config.publicUrls, listen, isBeyond),
    tls: tls === null ? null : { key: tls.key, cert: tls.cert },
    async renewCertificate() {
      if (files === null || given === null) return null
      const renewed = await readCertificate(files)
      if (renewed.cert === given.cert && renewed.key === given.key) return null
      given = renewed
      return { key: renewed.key, cert: renewed.cert }
    },
    isOpenAt(opened) {
      address = opened
    },
    offers: createDeviceOffers({
      devices,
      clock,
      gatewayName: hostname(),
      gatewayPin: () => given?.pin ?? own.pin,
      clientUrls: () => ({
        urls: [...config.publicUrls, ...ownUrls(address, tls !== null)],
        isReachable: isBeyond || config.publicUrls.length > 0,
      }),
      createId: () => options.createId(),
    }),
  }
}

function knownNames(publicUrls: readonly string[], { host }: ListenAddress, isBeyond: boolean): KnownNames {
  const own = hostname().toLowerCase()
  return {
    names: [
      ...publicUrls.map((url) => new URL(url).hostname),
      ...(isBeyond ? [own, `${own}.local`] : []),
      // An address is told by mayBeAddress, which knows those that nobody can mean.
      ...(isIP(host) === 0 ? [host.toLowerCase()] : []),
    ],
    mayBeAddress: isBeyond,
    origins: publicUrls,
  }
}

function ownUrls({ host, port }: ListenAddress, isTls: boolean): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return reachableUrls({ host, port, hostName: hostname(), interfaces, path: '/' }).map((url) =>
    url.replace(/^wss/, isTls ? 'https' : 'http'),
  )
}

async function readCertificate({ certFile, keyFile }: NonNullable<GatewayConfig['tls']>) {
  const [cert, key] = await Promise.all([readPem(certFile, 'certFile'), readPem(keyFile, 'keyFile')])
  const certificate = orRefusal(
    () => new X509Certificate(cert),
    `tls.certFile ${certFile} is no certificate in PEM.`,
  )
  const privateKey = orRefusal(
    () => createPrivateKey(key),
    `tls.keyFile ${keyFile} is no private key in PEM, or one with a passphrase, which Trawl cannot ask for.`,
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new Refusal('configuration', `tls.keyFile ${keyFile} is not the key of tls.certFile ${certFile}.`)
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' })
  return { cert, key, pin: formatKeyPin(createHash('sha256').update(spki).digest()) }
}

function orRefusal<Result>(read: () => Result, sentence: string): Result {
  try {
    return read()
  } catch (error) {
    throw new Refusal('configuration', sentence, error)
  }
}

async function readPem(file: string, name: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Refusal('configuration', `tls.${name} ${file} cannot be read (${systemCode(error)}).`, error)
  }
}
