/**
 * Stands in for the system's sshd where none is installed: an SSH server in a process of its own that lets one key in
 * and runs the commands it is asked for. Usage: ssh2-server HOST_KEY_FILE AUTHORIZED_KEY_FILE; prints its port.
 */
import { spawn } from 'node:child_process'
import { timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import ssh2, { type PublicKeyAuthContext, type ServerChannel } from 'ssh2'

const [hostKeyFile = '', authorizedKeyFile = ''] = process.argv.slice(2)
const authorized = ssh2.utils.parseKey(readFileSync(authorizedKeyFile))
if (authorized instanceof Error) throw authorized

const server = new ssh2.Server({ hostKeys: [readFileSync(hostKeyFile)] }, (client) => {
  client.on('error', () => {})
  client.on('authentication', (attempt) => {
    if (attempt.method === 'publickey' && mayEnter(attempt)) attempt.accept()
    else attempt.reject(['publickey'])
  })
  client.on('session', (accept) => {
    accept().on('exec', (acceptExec, _reject, { command }) => run(command, acceptExec()))
  })
})

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
// Whoever started this holds stdin; when that ends, so does the server.
process.stdin.resume().on('end', () => process.exit(0))

function mayEnter({ key, blob, signature, hashAlgo }: PublicKeyAuthContext): boolean {
  if (authorized instanceof Error) return false
  const known = authorized.getPublicSSH()
  if (key.data.length !== known.length || !timingSafeEqual(key.data, known)) return false
  // Without a signature the client only asks whether this key would do.
  return (
    signature === undefined || blob === undefined || authorized.verify(blob, signature, hashAlgo) === true
  )
}

function run(command: string, channel: ServerChannel): void {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'] })
  channel.pipe(child.stdin)
  child.stdout.pipe(channel, { end: false })
  child.stderr.pipe(channel.stderr, { end: false })
  child.stdin.on('error', () => {})
  channel.on('close', () => child.kill())
  child.on('error', () => end(channel, 127))
  child.on('close', (code) => end(channel, code ?? 1))
}

function end(channel: ServerChannel, code: number): void {
  channel.exit(code)
  channel.end()
}
