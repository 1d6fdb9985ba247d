// Resolves the host of a webhook URL and decides which addresses it may be sent to: docs/spec/webhooks.md#address-rules.
// Addresses are compared as numbers, never as text; what cannot be parsed is refused, and one refused address refuses all.
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { literalOf } from '#contracts/webhook-url'

const DNS_MS = 2_000

const refusedRanges = [
  '0.0.0.0/8', // This network.
  '10.0.0.0/8', // Private.
  '100.64.0.0/10', // Shared by carriers.
  '127.0.0.0/8', // Loopback.
  '169.254.0.0/16', // Link-local, and the metadata of clouds.
  '172.16.0.0/12', // Private.
  '192.0.0.0/24', // Protocol assignments.
  '192.0.2.0/24', // Documentation.
  '192.88.99.0/24', // 6to4 relays.
  '192.168.0.0/16', // Private.
  '198.18.0.0/15', // Benchmarks.
  '198.51.100.0/24', // Documentation.
  '203.0.113.0/24', // Documentation.
  '224.0.0.0/3', // Multicast, reserved, broadcast.
  '::/8', // Unspecified, loopback, and IPv4 inside: mapped, compatible, NAT64, SIIT.
  '100::/64', // Discard.
  '2001::/23', // Protocol assignments, Teredo with IPv4 inside.
  '2001:db8::/32', // Documentation.
  '2002::/16', // 6to4, with IPv4 inside.
  '3fff::/20', // Documentation.
  '5f00::/16', // Segment routing.
  'fc00::/7', // Private.
  'fe80::/10', // Link-local.
  'fec0::/10', // Site-local.
  'ff00::/8', // Multicast.
].map((range) => ipaddr.parseCIDR(range))

/** Whether the text is an address to which a webhook may be sent. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  return address !== null && !refusedRanges.some((range) => range[0].kind() === address.kind() && address.match(range))
}

/** The address, or null. Takes no brackets, scope or prefix, and IPv4 in its one plain form only. */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // ipaddr.js alone reads octal, hex and short forms, which mean another address to other readers.
  return isIP(text) === 0 || text.includes('%') ? null : ipaddr.parse(text)
}

export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>
/** The host has no address, or one that is not allowed. */
export type Unreachable = { error: 'dns' | 'blocked_address' }

/** The addresses of the URL's host, each of them public unless private ones are allowed. */
export async function addressesOf(
  url: URL,
  allowPrivate: boolean,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<{ addresses: string[] } | Unreachable> {
  const literal = literalOf(url)
  const addresses = literal === null ? await resolve(url.hostname, signal).catch(() => []) : [literal]
  if (addresses.length === 0) return { error: 'dns' }
  if (!allowPrivate && !addresses.every(isPublicAddress)) return { error: 'blocked_address' }
  return { addresses }
}

/** Queries DNS servers directly, because the system resolver has four threads, which one slow name server could block. */
export const resolveByDns: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: DNS_MS, tries: 2 })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** The system resolver, which also knows local names: for development. */
export const resolveBySystem: Resolve = async (host) => {
  const answers = await lookup(host, { all: true })
  return answers.map(({ address }) => address)
}
