// Tests which client and source a request has: docs/spec/rest-api.md#failure-budget.
import { describe, expect, test } from '@jest/globals'
import { openClients, openSources } from './client-address.ts'

const proxied = openSources(['10.0.0.0/8', 'fd00::/8', '203.0.113.7/32'])
const direct = openSources([])

describe('without trusted proxies', () => {
  test.each([
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['192.0.2.1', '198.51.100.9', '192.0.2.1'],
    ['::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['::ffff:c000:201', undefined, '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::9', undefined, '2001:db8:1:2::/64'],
    ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
    ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['::1', undefined, '0:0:0:0::/64'],
    [undefined, undefined, 'unknown'],
    ['/run/socket', '192.0.2.1', 'unknown'],
  ])('peer %j with X-Forwarded-For %j is %s', (peer, forwarded, source) => {
    expect(direct(peer, forwarded)).toBe(source)
  })
})

describe('behind trusted proxies', () => {
  test.each([
    ['10.0.0.1', '198.51.100.9', '198.51.100.9'],
    ['::ffff:10.0.0.1', '198.51.100.9', '198.51.100.9'],
    ['10.0.0.1', '1.1.1.1, 198.51.100.9', '198.51.100.9'],
    ['10.0.0.1', '1.1.1.1,198.51.100.9,10.9.9.9, 203.0.113.7', '198.51.100.9'],
    ['10.0.0.1', ['1.1.1.1', '198.51.100.9, 10.2.2.2'], '198.51.100.9'],
    ['fd00::1', '2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['10.0.0.1', '[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
    ['10.0.0.1', '198.51.100.9:61000', '198.51.100.9'],
    ['10.0.0.1', '::ffff:198.51.100.9', '198.51.100.9'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '10.3.3.3', '10.3.3.3'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.9, unknown', '10.0.0.1'],
    ['192.0.2.1', '198.51.100.9', '192.0.2.1'],
  ])('peer %j with X-Forwarded-For %j is %s', (peer, forwarded, source) => {
    expect(proxied(peer, forwarded)).toBe(source)
  })

  test('a client cannot change its source by X-Forwarded-For', () => {
    const forged = ['1.2.3.4', '10.0.0.1', '10.0.0.1, 10.0.0.2', '::1', 'x', ',,,', '198.51.100.9', '203.0.113.7']
    expect(new Set(forged.map((text) => proxied('10.0.0.1', `${text}, 198.51.100.9`)))).toEqual(
      new Set(['198.51.100.9']),
    )
    expect(new Set(forged.map((text) => proxied('192.0.2.1', text)))).toEqual(new Set(['192.0.2.1']))
  })

  test('a range written in the mapped form means the IPv4 addresses', () => {
    expect(openSources(['::ffff:10.0.0.0/104'])('10.1.1.1', '198.51.100.9')).toBe('198.51.100.9')
  })

  test('no source is longer than what auth accepts', () => {
    expect(direct('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined).length).toBeLessThan(64)
  })
})

test('a client has its address beside its source, where it has one', () => {
  const clientOf = openClients(['10.0.0.0/8'])
  expect(clientOf('10.0.0.1', '2001:db8:1:2:3:4:5:6')).toEqual({
    source: '2001:db8:1:2::/64',
    address: '2001:db8:1:2:3:4:5:6',
  })
  expect(clientOf('::ffff:192.0.2.1', undefined)).toEqual({ source: '192.0.2.1', address: '192.0.2.1' })
  expect(clientOf(undefined, undefined)).toEqual({ source: 'unknown', address: null })
})
