/** A program that stands for many runtime hosts and fails as it is told: `{ id, name, do }` over IPC, answered by `{ id }`. */
import { type Behaviour, startWsAgents } from '../test/helpers/ws-agents.ts'

export interface SoakOrder {
  readonly id: number
  readonly name: string
  readonly do:
    | { readonly kind: 'kill'; readonly closeCode?: number }
    | { readonly kind: 'revive' }
    | { readonly kind: 'behave'; readonly as: Behaviour }
}

const agents = await startWsAgents()
process.on('message', (order: SoakOrder) => {
  if (order.do.kind === 'kill') agents.kill(order.name, order.do.closeCode)
  else if (order.do.kind === 'revive') agents.revive(order.name)
  else agents.behave(order.name, order.do.as)
  process.send?.({ id: order.id })
})
// The soak ended, or died.
process.once('disconnect', () => process.exit(0))
process.send?.({ port: agents.port })
