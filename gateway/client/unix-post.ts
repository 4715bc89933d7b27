/** One call through the gateway's Unix socket. */
import { request } from 'node:http'
import type { Post } from './http-carrier.ts'

export function unixPost(socketPath: string): Post {
  return async (body, signal) =>
    await new Promise((resolve, reject) => {
      const call = request({
        socketPath,
        path: '/rpc',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        signal,
      })
      call.once('error', reject)
      call.once('response', (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.once('error', reject)
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
        )
      })
      call.end(body)
    })
}
