/**
 * A program that stands for many runtime hosts: each WebSocket connection to `/hosts/<n>` is host n, which answers
 * every search with a text made beforehand. It does next to nothing, so that the asking side is what is measured.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { HostDescription } from '../protocol/rpc/describe.ts'
import { preparedAnswer } from './prepared-answer.ts'
import { seededRandom } from './random.ts'

const hitsPerHost = 20

const description: HostDescription = {
  version: '0.0.0',
  protocol: 1,
  platform: 'linux',
  agents: [],
  searchModes: ['text'],
  methods: ['aiVault.searchSessions', 'host.describe'],
  limits: { maxMessageBytes: 16 * 1024 * 1024, maxLimit: 100, maxQueryUnits: 512 },
}

const descriptionText = JSON.stringify(description)

function answer(socket: WebSocket, answerText: string, data: RawData): void {
  const text = data.toString()
  const id = /"id":(\d+)/.exec(text)?.[1]
  if (id === undefined || !text.includes('"method"')) return
  const result = text.includes('"aiVault.searchSessions"')
    ? answerText
    : text.includes('"host.describe"')
      ? descriptionText
      : 'null'
  socket.send(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
}

const server = createServer()
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
sockets.on('connection', (socket, request) => {
  const host = Number(request.url?.split('/').at(-1))
  const answerText = JSON.stringify(preparedAnswer(seededRandom(host), hitsPerHost))
  socket.on('message', (data) => answer(socket, answerText, data))
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
