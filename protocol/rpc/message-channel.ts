/**
 * The port between a carrier and everything above it: whole messages, as text, both ways.
 * Three kinds of host, and every door of the gateway, differ in nothing but which channel they hand over.
 */

/** Between gateway and agent. */
export const maxPeerMessageBytes = 16 * 1024 * 1024
/** From a client into the gateway. */
export const maxClientMessageBytes = 1024 * 1024

/** Both ends ping this often; a link is dead when two intervals pass unanswered (wire.md §1). */
export const livenessIntervalMs = 15_000

export interface ChannelHandlers {
  /** One whole message. */
  message(text: string): void
  /** A message over the limit was dropped; `head` is its first part, enough to find its id. The link goes on. */
  oversize(head: string): void
  /** Called once, when no more messages will come. `cause` is for the log. */
  closed(cause: Error | null): void
}

export interface MessageChannel extends AsyncDisposable {
  /** Install the handlers and begin to deliver. Called once; nothing is delivered before it. */
  start(handlers: ChannelHandlers): void
  /**
   * Sends one message. Resolves when the carrier can take more (back-pressure).
   * @throws Error at once when the channel is closed: nothing is dropped silently.
   */
  send(text: string): Promise<void>
  close(): Promise<void>
}
