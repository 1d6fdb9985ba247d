// Owns the way from a host name to addresses that were checked. security-and-faults.md, "Outbound address" and
// "Rebinding": every answer is checked, one bad answer refuses all, and only a checked address is connected to.
import { Resolver } from 'node:dns/promises'
import { lookup } from 'node:dns/promises'
import { isPublicAddress } from './address.ts'
import { literalOf } from '../endpoints/url.ts'

export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>
/** No address at all, or one where nothing may be sent. */
export type Unreachable = { error: 'dns' | 'blocked_address' }

const DNS_MS = 2_000

/** The addresses of the URL's host, all of them checked unless private ones are allowed. */
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

/** Asks the DNS itself. Its own sockets: the system's resolver has four threads, which one slow name server would fill. */
export const askDns: Resolve = async (host, signal) => {
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

/** Asks the system, which also knows the names of this machine and of its neighbours: for development. */
export const askSystem: Resolve = async (host) => {
  const answers = await lookup(host, { all: true })
  return answers.map(({ address }) => address)
}
