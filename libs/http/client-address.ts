// Owns the source of a request: the address that failed authentications are counted against.
// Spec: Limits, rule 2; run.md, TRUSTED_PROXIES. security-and-faults.md, row "Auth-failure budget".
// Only what a trusted proxy wrote is believed: the rightmost hop that is no trusted proxy itself. Whatever a client put
// into X-Forwarded-For stands further left. An IPv6 network hands out whole /64s, so that is one source; the address
// itself is what a consent is recorded with.
import { BlockList, isIP, isIPv4 } from 'node:net'

export type SourceOf = (peer: string | undefined, forwardedFor: string | string[] | undefined) => string

/** Who is at the other end: the source, and the address, null where it is not known. */
export type Client = { source: string; address: string | null }
export type ClientOf = (...connection: Parameters<SourceOf>) => Client

/** Takes CIDRs; gives the function from a connection's peer and its X-Forwarded-For to the source, at most 64 characters. */
export function openSources(trustedProxies: string[]): SourceOf {
  const clientOf = openClients(trustedProxies)
  return (peer, forwardedFor) => clientOf(peer, forwardedFor).source
}

/** The same for source and address. */
export function openClients(trustedProxies: string[]): ClientOf {
  const trusted = new BlockList()
  for (const range of trustedProxies) addRange(trusted, range)
  const isTrusted = (address: Address) => trusted.check(address.text, address.family)
  return (peer, forwardedFor) => {
    let source = addressOf(peer ?? '')
    if (source === null) return { source: 'unknown', address: null }
    const hops = [forwardedFor ?? []].flat().join(',').split(',')
    while (isTrusted(source) && hops.length > 0) {
      const hop = addressOf(hops.pop() ?? '')
      if (hop === null) break // A proxy that does not name its client speaks for all of them.
      source = hop
    }
    return { source: bucketOf(source), address: source.text }
  }
}

type Address = { text: string; family: 'ipv4' | 'ipv6'; groups: number[] }

function addRange(list: BlockList, range: string): void {
  const [network = '', bits = ''] = range.split('/')
  const address = addressOf(network)
  if (address === null) throw new Error(`${range} is not a range of addresses.`)
  const mapped = address.family === 'ipv4' && network.includes(':')
  list.addSubnet(address.text, mapped ? Math.max(0, Number(bits) - 96) : Number(bits), address.family)
}

/** An address as proxies write it: with or without port, brackets or zone. Mapped IPv4 becomes plain IPv4. */
function addressOf(text: string): Address | null {
  // What Node calls an IPv4 peer of a socket for both: the most common of all, so it is known by its look.
  const mapped = text.startsWith('::ffff:') ? text.slice(7) : text
  if (isIPv4(mapped)) return { text: mapped, family: 'ipv4', groups: [] }
  const bare = withoutPort(text.trim()).replace(/%.*$/, '')
  const family = isIP(bare)
  if (family === 0) return null
  if (family === 4) return { text: bare, family: 'ipv4', groups: [] }
  const groups = groupsOf(bare)
  const [high = 0, low = 0] = groups.slice(6)
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return { text: [high >> 8, high & 255, low >> 8, low & 255].join('.'), family: 'ipv4', groups: [] }
  }
  return { text: bare, family: 'ipv6', groups }
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (bracketed?.[1] !== undefined) return bracketed[1]
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(text: string): number[] {
  const [left = '', right] = withDottedTail(text).split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const head = parse(left)
  const tail = right === undefined ? [] : parse(right)
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}

function withDottedTail(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
}

function bucketOf({ text, family, groups }: Address): string {
  if (family === 'ipv4') return text
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}
