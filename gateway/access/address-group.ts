/** What is counted as one address: of IPv6 the /64, since whoever has one such address has all 2⁶⁴ of its network. */
import { isIPv6 } from 'node:net'

/** @param address as a socket tells it. @returns `192.0.2.1`, `2001:db8:0:1::/64`, or what is neither as it is. */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  const [head = '', tail = ''] = plain.split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail)
  const between = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const network = [...before, ...between, ...after].slice(0, 4)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** An IPv4 address at the end stands for two groups; which ones does not matter here. */
function groupsOf(text: string): string[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
}
