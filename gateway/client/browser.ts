/** `trawl/client` in a browser. */
/// <reference lib="esnext.disposable" preserve="true" />
import type { PairedDevice } from '../../protocol/link/device-pairing.ts'
import type { EventSocket } from './event-socket-channel.ts'
import { fetchPost } from './fetch-post.ts'
import { type ClientOptions, openUrl, whenLetIn } from './open-client.ts'
import { type PairOptions, pairVia } from './pair-client.ts'
import type { TrawlClient } from './trawl-client.ts'

export * from './public.ts'
export type { ClientOptions, PairedDevice }

/** Returns at once, and goes on trying; calls wait for the first attempt. @throws TrawlError `invalid_input`. */
export function open(options: ClientOptions): TrawlClient {
  return openUrl(options, { openSocket, postTo: fetchPost })
}

/** Settles once the gateway has let this client in. @throws TrawlError `unreachable`, `unauthorized`, `cancelled`. */
export async function connect(
  options: ClientOptions,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<TrawlClient> {
  return await whenLetIn(open(options), signal)
}

/** @throws TrawlError `unauthorized` for a code that is not open, `forbidden` when the owner said no, `unreachable`. */
export async function pair(options: PairOptions): Promise<PairedDevice> {
  return await pairVia(openSocket, options)
}

function openSocket(url: string): EventSocket {
  const platform = globalThis as unknown as { WebSocket: new (url: string) => EventSocket }
  return new platform.WebSocket(url)
}
