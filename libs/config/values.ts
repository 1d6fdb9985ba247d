// Zod schemas of the values that a setting may have. Each takes text that is trimmed and not empty; its description says in
// words what is allowed.
import { isIP } from 'node:net'
import { z } from 'zod'
import { addressRange } from '#contracts/input/address-range'

export const host = z
  .string()
  .refine((text) => isIP(text) !== 0 || text === 'localhost')
  .describe('an IP address of this machine, 0.0.0.0 or :: for all of them, or localhost')
export const port = wholeNumber(0, 65_535).describe('a whole number from 0 to 65535 (0 = any free port)')
export const budget = wholeNumber(1, 1_000_000).describe('a whole number from 1 to 1000000')
export const ratio = z
  .string()
  .regex(/^(0|1|[01]?\.\d{1,9})$/)
  .transform(Number)
  .refine((part) => part <= 1)
  .describe('a number from 0 to 1')
export const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .describe('true or false')
export const token = z
  .string()
  .regex(/^[\x21-\x7e]{32,}$/)
  .describe('a text of at least 32 visible ASCII characters without blanks')
export const word = z
  .string()
  .regex(/^[\x21-\x7e]+$/)
  .describe('a text of visible ASCII characters without blanks')
export const longSecret = z.string().min(32).describe('a text of at least 32 characters')
export const folder = z
  .string()
  .refine((path) => !path.includes('\0'))
  .describe('the path of a folder')
export const file = z
  .string()
  .refine((path) => !path.includes('\0'))
  .describe('the path of a file')
export const logLevel = z
  .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  .describe('trace, debug, info, warn, error, fatal or silent')
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export const sampler = z.enum(samplers).describe(`one of ${samplers.join(', ')}`)
export const origin = url(['http:', 'https:'], (given) => given.href === `${given.origin}/`)
  .transform((text) => new URL(text).origin) // Without a closing slash, so that a path can be appended.
  .describe('an http or https origin without a path')
export const issuer = url(
  ['http:', 'https:'],
  (given) => given.protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(given.hostname),
).describe('an https URL such as https://login.example; http on the loopback only')
export const collectorUrl = url(
  ['http:', 'https:'],
  (given) => !(given.username || given.password || given.search || given.hash),
)
  .transform((text) => new URL(text).href.replace(/\/+$/, ''))
  .describe('an http or https URL such as http://collector:4318')
export const databaseUrl = url(['postgres:', 'postgresql:'], ({ pathname }) => pathname.length > 1).describe(
  'a postgres:// URL that names a database',
)
export const smtpUrl = url(['smtp:', 'smtps:'], ({ hostname }) => hostname !== '').describe(
  'an smtp:// or smtps:// URL',
)
export const natsServers = listOf(z.string().refine(isNatsServer)).describe(
  'one or more servers, comma-separated, such as nats://bus:4222, tls://bus:4222 or bus:4222',
)
export const addressRanges = listOf(addressRange).describe('comma-separated CIDRs such as 10.0.0.0/8,fd00::/8')
export const redirectHosts = listOf(
  z
    .string()
    .transform((host) => host.toLowerCase())
    .refine((host) => URL.parse(`https://${host}/`)?.host === host),
).describe('comma-separated host names such as claude.ai,chatgpt.com, or loopback')
const wait = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,3})?$/) // Fractions, so that tests can run through the whole schedule.
  .transform(Number)
  .refine((seconds) => seconds > 0 && seconds <= 604_800)
export const waits = listOf(wait)
  .refine((list) => list.length <= 50)
  .describe('1 to 50 comma-separated numbers of seconds, each above 0 and at most 604800')
export const headerPairs = listOf(z.string().refine(isHeaderPair))
  .transform((pairs) => Object.fromEntries(pairs.map(splitPair)))
  .describe('comma-separated pairs such as authorization=Bearer%20token')

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((number) => number >= min && number <= max)
}

function listOf<Value>(item: z.ZodType<Value, string>) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
}

function url(protocols: string[], isAllowed: (url: URL) => boolean) {
  return z.string().refine((text) => {
    const parsed = URL.parse(text)
    return parsed !== null && protocols.includes(parsed.protocol) && isAllowed(parsed)
  })
}

// A bare word is refused: it would be taken as the name of a host, which the client would try to reach without end.
function isNatsServer(server: string): boolean {
  if (!server.includes('://') && !/:\d+$/.test(server)) return false
  const parsed = URL.parse(server.includes('://') ? server : `nats://${server}`)
  if (parsed === null || parsed.hostname === '') return false
  return ['nats:', 'tls:'].includes(parsed.protocol) && ['', '/'].includes(parsed.pathname)
}

// W3C Baggage, as the OTLP exporter's specification has it: values are percent-encoded where they need it.
function isHeaderPair(pair: string): boolean {
  if (!/^[\w!#$%&'*+.^`|~-]+\s*=\s*[\x21-\x7e]+$/.test(pair)) return false
  try {
    return /^[\x20-\x7e]*$/.test(splitPair(pair)[1]) // What a header can carry.
  } catch {
    return false
  }
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
}
