// Tests which addresses a webhook may be sent to: every refused range, in every spelling of an address.
// docs/spec/webhooks.md#address-rules
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isPublicAddress, parseAddress } from './address.ts'

const listOf = (...lines: string[]) => lines.flatMap((line) => line.split(' '))

const refused = listOf(
  // 0/8, 10/8, 100.64/10, 127/8
  '0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255',
  // 169.254/16, 172.16/12, 192.0.0/24, 192.0.2/24, 192.88.99/24, 192.168/16
  '169.254.0.0 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.1 192.0.0.255 192.0.2.1 192.88.99.1',
  '192.168.0.1 192.168.255.255',
  // 198.18/15, 198.51.100/24, 203.0.113/24, 224/3
  '198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.255 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255',
  // ::/8: unspecified, loopback, compatible, mapped (dotted, hex, written out), SIIT, NAT64 of private and public addresses
  ':: ::1 0:0:0:0:0:0:0:1 ::7f00:1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:7F00:0001',
  '0000:0000:0000:0000:0000:ffff:7f00:0001 ::ffff:8.8.8.8 ::ffff:0:10.0.0.1 64:ff9b::7f00:1',
  '64:ff9b::8.8.8.8 64:ff9b:1::1 00ff::1',
  // 100::/64, 2001::/23, 2001:db8::/32, 2002::/16, 3fff::/20, 5f00::/16
  '100:: 100::ffff:ffff:ffff:ffff 2001::1 2001:0:7f00:1:: 2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff::1',
  '2002::1 2002:7f00:1:: 3fff::1 3fff:fff::1 5f00::1 5f00:ffff::1',
  // fc00::/7, fe80::/10, fec0::/10, ff00::/8
  'fc00::1 fdff:ffff::1 fe80::1 febf::1 fec0::1 feff::1 ff00::1 ff02::1 ffff::1',
)

// The addresses next to the refused ranges, and well-known public ones.
const allowed = listOf(
  '1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255',
  '169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0',
  '192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255',
  '203.0.114.0 223.255.255.255 8.8.8.8 101::1 100:0:0:1:: 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1',
  '2001:db9::1 2003::1 2606:4700:4700::1111 3ffe:ffff::1 3fff:1000::1 5eff:ffff::1 5f01::1 fbff::1 fe7f::1',
  '2a00:1450:4001::5',
)

// Malformed, or a spelling that parsers read differently.
const unreadable = [
  '',
  ' ',
  '1.2.3.4 ',
  ' 1.2.3.4',
  ...listOf(
    '127.1 127.0.1 2130706433 0x7f000001 0177.0.0.1 0x7f.0.0.1 127.0.0.01 256.0.0.1 1.2.3 1.2.3.4.5',
    '1.2.3.4. １.２.３.４ 1.2.3.-4 +1.2.3.4 1e1.0.0.1 [::1] ::1%eth0 fe80::1%25lo ::: 1::2::3 1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9 12345:: g::1 ::1.2.3 ::1.2.3.4.5 1.2.3.4:: ::ffff:127.0.0.1:80 1:2:3:4:5:6:7:8::',
    '::0x1 ::01.2.3.4 localhost',
  ),
]

describe('the table', () => {
  test('has more than sixty addresses that are refused by their range', () => {
    expect(refused.length).toBeGreaterThanOrEqual(60)
    expect(new Set(refused).size).toBe(refused.length)
  })

  test('refuses every address of a refused range', () => {
    expect(refused.filter((text) => parseAddress(text) === null || isPublicAddress(text))).toEqual([])
  })

  test('allows every other address', () => {
    expect(allowed.filter((text) => !isPublicAddress(text))).toEqual([])
  })

  test('refuses a malformed address', () => {
    expect(unreadable.filter((text) => parseAddress(text) !== null || isPublicAddress(text))).toEqual([])
  })
})

describe('an address', () => {
  const byte = fc.integer({ min: 0, max: 255 })

  test('of version 4 is refused by its bytes, whatever stands around it in version 6', () => {
    fc.assert(
      fc.property(byte, byte, byte, byte, (a, b, c, d) => {
        const dotted = [a, b, c, d].join('.')
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        expect(parseAddress(`::ffff:${hex}`)).toEqual(parseAddress(`::ffff:${dotted}`))
        expect(isPublicAddress(`::ffff:${dotted}`)).toBe(false)
        expect(isPublicAddress(`::${dotted}`)).toBe(false)
        expect(isPublicAddress(`64:ff9b::${dotted}`)).toBe(false)
      }),
    )
  })

  test('of version 6 has the same bytes however it is written', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const plain = groups.map((group) => group.toString(16)).join(':')
        const long = groups.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':')
        const bytes = groups.flatMap((group) => [group >> 8, group & 0xff])
        expect(parseAddress(plain)?.toByteArray()).toEqual(bytes)
        expect(parseAddress(long)?.toByteArray()).toEqual(bytes)
        // The URL parser shortens addresses.
        const short = new URL(`http://[${plain}]/`).hostname.slice(1, -1)
        expect(parseAddress(short)?.toByteArray()).toEqual(bytes)
      }),
    )
  })
})
