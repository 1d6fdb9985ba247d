// Owns how the text of an environment variable becomes a value. Every reader takes trimmed text that is not empty and
// gives the value, or undefined when the text is not allowed; what is allowed is said in words in settings.ts.
import { isIP } from 'node:net'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const samplers = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
]
export type Sampler = (typeof samplers)[number]

export function port(text: string): number | undefined {
  return wholeNumber(text, 0, 65_535)
}

export function budget(text: string): number | undefined {
  return wholeNumber(text, 1, 1_000_000)
}

export function flag(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}

export function logLevel(text: string): LogLevel | undefined {
  return logLevels.find((level) => level === text)
}

/** An origin without a path; a closing slash is dropped, so that paths can be appended. */
export function origin(text: string): string | undefined {
  const url = parseUrl(text, ['http:', 'https:'])
  if (url === undefined || url.username !== '' || url.password !== '') return undefined
  return url.pathname === '/' && url.search === '' && url.hash === '' && !/[?#]/.test(text) ? url.origin : undefined
}

/** The URL of a collector, without a closing slash, so that the path of a signal can be appended. */
export function collectorUrl(text: string): string | undefined {
  const url = parseUrl(text, ['http:', 'https:'])
  if (url === undefined || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return undefined
  return url.href.replace(/\/+$/, '')
}

/** `name=value,name=value`, values percent-encoded where they need it (W3C Baggage, as OTLP has it). */
export function headerPairs(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7e]+)\s*$/.exec(pair))
  const headers: Record<string, string> = {}
  for (const pair of pairs) {
    const [, name, value] = pair ?? []
    if (name === undefined || value === undefined || !isPercentEncoded(value)) return undefined
    headers[name] = decodeURIComponent(value)
  }
  return headers
}

export function sampler(text: string): Sampler | undefined {
  return samplers.find((known) => known === text)
}

export function ratio(text: string): number | undefined {
  return /^(0|1|[01]?\.\d{1,9})$/.test(text) && Number(text) <= 1 ? Number(text) : undefined
}

export function databaseUrl(text: string): string | undefined {
  const url = parseUrl(text, ['postgres:', 'postgresql:'])
  return url !== undefined && url.pathname.length > 1 ? text : undefined
}

export function smtpUrl(text: string): string | undefined {
  const url = parseUrl(text, ['smtp:', 'smtps:'])
  return url !== undefined && url.hostname !== '' ? text : undefined
}

// A bare word would be taken as the name of a host, and a forgotten scheme or a typing error would be looked for for ever.
/** Servers as URLs, or as host and port. */
export function natsServers(text: string): string[] | undefined {
  const servers = text.split(',').map((server) => server.trim())
  const allowed = (server: string) => {
    if (!server.includes('://') && !/:\d+$/.test(server)) return false
    const url = parseUrl(server.includes('://') ? server : `nats://${server}`, ['nats:', 'tls:'])
    return url !== undefined && url.hostname !== '' && (url.pathname === '' || url.pathname === '/')
  }
  return servers.every(allowed) ? servers : undefined
}

/** Address ranges; a single address becomes the range that holds only itself. */
export function addressRanges(text: string): string[] | undefined {
  const ranges = text.split(',').map((range) => addressRange(range.trim()))
  return ranges.every((range) => range !== undefined) ? ranges : undefined
}

/** Waits in seconds, fractions included so that tests can run through the whole schedule. */
export function waits(text: string): number[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length > 50 || !parts.every((part) => /^\d{1,6}(\.\d{1,3})?$/.test(part))) return undefined
  const seconds = parts.map(Number)
  return seconds.every((wait) => wait > 0 && wait <= 604_800) ? seconds : undefined
}

/** A token that can travel in a header: visible ASCII without blanks. */
export function token(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined
}

export function longSecret(text: string): string | undefined {
  return text.length >= 32 ? text : undefined
}

export function folder(text: string): string | undefined {
  return text.includes('\0') ? undefined : text
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  if (!/^\d{1,9}$/.test(text)) return undefined
  const number = Number(text)
  return number >= min && number <= max ? number : undefined
}

function addressRange(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0 || rest.length > 0) return undefined
  const bitsMax = family === 4 ? 32 : 128
  if (bits === undefined) return `${address}/${bitsMax}`
  return wholeNumber(bits, 0, bitsMax) === undefined ? undefined : `${address}/${Number(bits)}`
}

function isPercentEncoded(text: string): boolean {
  try {
    return /^[\x20-\x7e]*$/.test(decodeURIComponent(text)) // What a header can carry.
  } catch {
    return false
  }
}

function parseUrl(text: string, protocols: string[]): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && protocols.includes(url.protocol) ? url : undefined
}
