// Owns which network addresses a webhook may be sent to. security-and-faults.md, "Outbound address" and "Spelling".
// An address is compared as 16 bytes, never as text; what cannot be read is refused. IPv4 is read in its one plain form
// only: forms with fewer parts, octal or hex mean another address to every other reader.

/** `family` is that of the spelling: an IPv4 address inside an IPv6 one is IPv6, and refused with the whole of ::/8. */
export type Address = { family: 4 | 6; bytes: Uint8Array }

const V4_OFFSET = 12

const refusedV4 = ranges(4, [
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
])
const refusedV6 = ranges(6, [
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
])

/** Whether a packet may go there. */
export function isPublic({ family, bytes }: Address): boolean {
  const refused = family === 4 ? refusedV4 : refusedV6
  return !refused.some((range) => isWithin(bytes, range))
}

/** Whether the text is an address where a packet may go; anything that is no address is not. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  return address !== null && isPublic(address)
}

/** The address as bytes, or null. Takes no brackets, no scope, no prefix. */
export function parseAddress(text: string): Address | null {
  if (text.length > 45) return null
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

function parseV4(text: string): Address | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null
  const bytes = new Uint8Array(16)
  bytes.set([0xff, 0xff, ...parts.map(Number)], V4_OFFSET - 2)
  return { family: 4, bytes }
}

function parseV6(text: string): Address | null {
  const halves = withPlainTail(text)?.split('::')
  if (halves === undefined || halves.length > 2) return null
  const [front = [], back = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - front.length - back.length
  // `::` stands for at least one group; without it all eight are there.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  const groups = [...front, ...Array<string>(halves.length === 2 ? missing : 0).fill('0'), ...back]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null
  const bytes = new Uint8Array(16)
  for (const [index, group] of groups.entries()) {
    const value = Number.parseInt(group, 16)
    bytes.set([value >> 8, value & 0xff], index * 2)
  }
  return { family: 6, bytes }
}

// A dotted end, as in ::ffff:127.0.0.1, written as the two groups that it is.
function withPlainTail(text: string): string | null {
  if (!text.includes('.')) return text
  const cut = text.lastIndexOf(':') + 1
  const tail = parseV4(text.slice(cut))
  if (tail === null) return null
  const [a = 0, b = 0, c = 0, d = 0] = tail.bytes.subarray(V4_OFFSET)
  return `${text.slice(0, cut)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

type Range = { bytes: Uint8Array; bits: number }

function ranges(family: 4 | 6, texts: string[]): Range[] {
  return texts.map((text) => {
    const [start = '', bits = ''] = text.split('/')
    const address = parseAddress(start)
    if (address === null) throw new Error(`${text} is no range.`)
    return { bytes: address.bytes, bits: Number(bits) + (family === 4 ? V4_OFFSET * 8 : 0) }
  })
}

function isWithin(bytes: Uint8Array, range: Range): boolean {
  for (let bit = 0; bit < range.bits; bit += 8) {
    const mask = range.bits - bit >= 8 ? 0xff : (0xff << (8 - (range.bits - bit))) & 0xff
    const index = bit / 8
    if (((bytes[index] ?? 0) & mask) !== ((range.bytes[index] ?? 0) & mask)) return false
  }
  return true
}
