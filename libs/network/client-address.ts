// The address of a request's client, and the source that failed authentications are counted against:
// docs/spec/rest-api.md#failure-budget, docs/spec/running.md#environment (TRUSTED_PROXIES). X-Forwarded-For counts only
// as far as trusted proxies wrote it: the client is the rightmost hop that is not a trusted proxy. What a client
// wrote itself stands further left. A source is an IPv4 address or an IPv6 /64, since a network hands out whole /64s.
import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type SourceOf = (peer: string | undefined, forwardedFor: string | string[] | undefined) => string

/** `source` is at most 64 characters long; `address` is null where it is not known, and has no zone. */
export type Client = { source: string; address: string | null }
export type ClientOf = (...connection: Parameters<SourceOf>) => Client

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Takes CIDRs; returns a function from a connection's peer and its X-Forwarded-For to the source. */
export function openSources(trustedProxies: string[]): SourceOf {
  const clientOf = openClients(trustedProxies)
  return (peer, forwardedFor) => clientOf(peer, forwardedFor).source
}

/** The same for source and address. */
export function openClients(trustedProxies: string[]): ClientOf {
  const isTrusted = inRanges(trustedProxies)
  return (peer, forwardedFor) => {
    let client = parseAddress(peer ?? '')
    if (client === null) return { source: 'unknown', address: null }
    const hops = [forwardedFor ?? []].flat().join(',').split(',')
    while (isTrusted(client) && hops.length > 0) {
      const hop = parseAddress(hops.pop() ?? '')
      if (hop === null) break // A proxy that does not name its client counts for all of them.
      client = hop
    }
    return { source: sourceOf(client), address: client.toString() }
  }
}

/** Whether a client's address lies in one of the CIDRs; one that is not known lies in none. */
export function isWithin(address: string | null, ranges: readonly string[]): boolean {
  const parsed = parseAddress(address ?? '')
  return parsed !== null && inRanges(ranges)(parsed)
}

function inRanges(ranges: readonly string[]): (address: Address) => boolean {
  const parsed = ranges.map(parseRange)
  return (address) =>
    parsed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function parseRange(range: string): [network: Address, bits: number] {
  const [network, bits] = ipaddr.parseCIDR(range)
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress()
  return isMapped ? [network.toIPv4Address(), Math.max(0, bits - 96)] : [network, bits]
}

// An address as proxies write it: with or without port, brackets or zone. Mapped IPv4 becomes plain IPv4.
function parseAddress(text: string): Address | null {
  // The form in which Node shows the IPv4 peers of a socket for both versions, and by far the most common one.
  const plain = text.startsWith('::ffff:') ? text.slice(7) : text
  if (isIPv4(plain)) return ipaddr.IPv4.parse(plain)
  const bare = withoutPort(text.trim()).replace(/%.*$/, '')
  return isIP(bare) === 0 ? null : ipaddr.process(bare) // ipaddr.js alone would read `127.1` and `0x7f.1` as well.
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(text)
  if (bracketed?.[1] !== undefined) return bracketed[1]
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text
}

function sourceOf(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString()
  const network = address.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}
