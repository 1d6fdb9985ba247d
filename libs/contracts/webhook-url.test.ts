// Tests which URLs an endpoint may have, and that no spelling of an address passes as a name. docs/spec/webhooks.md#url-rules
import { describe, expect, test } from '@jest/globals'
import { checkUrl, literalOf } from './webhook-url.ts'

const accepted: [string, string][] = [
  ['https://example.com/hook', 'https://example.com/hook'],
  ['https://hooks.example.com:443/a?b=c', 'https://hooks.example.com/a?b=c'],
  ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
  ['https://hooks.example.com:1024/', 'https://hooks.example.com:1024/'],
  ['HTTPS://EXAMPLE.COM', 'https://example.com/'],
  ['https://bücher.example/hook', 'https://xn--bcher-kva.example/hook'],
  ['https://a-b.c1.co.uk/', 'https://a-b.c1.co.uk/'],
  [`https://example.com/${'a'.repeat(2_028)}`, `https://example.com/${'a'.repeat(2_028)}`],
]

const prefixed = (hosts: string) => hosts.split(' ').map((host) => `https://${host}/`)

const refused: Record<string, string[]> = {
  'is not https':
    'http://example.com/ ftp://example.com/ javascript:alert(1) file:///etc/passwd unix:/run/x.sock example.com'.split(
      ' ',
    ),
  'has userinfo': prefixed('user@example.com user:pw@example.com @example.com :@example.com'),
  'has a fragment': ['https://example.com/#x', 'https://example.com/#', 'https://127.0.0.1#@example.com/'],
  'has a reserved port': prefixed('example.com:80 example.com:22 example.com:1023 example.com:0 example.com:99999'),
  'has an IPv4 address, also decimal, octal, hex or short': prefixed(
    '127.0.0.1 8.8.8.8 2130706433 0177.0.0.1 0x7f.0.0.1 0x7f000001 127.1 127.0.1 0 127.0.0.1.',
  ),
  'has an IPv4 address in digits of other scripts': prefixed('１２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1'),
  'has an IPv6 address, also mapped or with a scope': prefixed(
    '[::1] [::ffff:7f00:1] [::ffff:127.0.0.1] [fe80::1%25eth0]',
  ),
  'has a name that is not one of the public DNS': prefixed(
    `localhost intranet example.com. a..b.com -a.com a-.com a_b.com example.1 exam%00ple.com ${'a'.repeat(64)}.com ${'a.'.repeat(130)}com`,
  ),
  'would be repaired by a parser': [
    ...[
      'https://example.com\\@127.0.0.1/',
      'https:\\\\example.com',
      'https://exa\nmple.com/',
      'https://exam\tple.com/',
    ],
    ...['https://example.com/\r\nX: y', ' https://example.com/', 'https://example.com/ a'],
  ],
  'is empty': ['', 'https://'],
  'is too long': [`https://example.com/${'a'.repeat(2_029)}`, `https://example.com/${'ü'.repeat(1_000)}`],
}

describe('a URL', () => {
  test.each(accepted)('%s is accepted', (text, normal) => {
    const checked = checkUrl(text, false)
    expect('url' in checked && checked.url.href).toBe(normal)
  })

  test.each(Object.entries(refused))('that %s is refused', (_reason, texts) => {
    const passed = texts.filter((text) => !('problem' in checkUrl(text, false)))
    expect(passed).toEqual([])
  })

  test('may be http, an address and any port where private targets are allowed', () => {
    for (const text of ['http://127.0.0.1:80/hook', 'http://localhost:3000/', 'https://[::1]:9/', 'http://intranet/'])
      expect(checkUrl(text, true)).toEqual({ url: new URL(text) })
    for (const text of ['ftp://127.0.0.1/', 'http://u@localhost/', 'http://localhost/#x', 'http://local host/'])
      expect(checkUrl(text, true)).toEqual({ problem: expect.any(String) })
  })

  test('with an address has it as literal, without brackets; one with a name has none', () => {
    expect(literalOf(new URL('http://[::1]:3000/'))).toBe('::1')
    expect(literalOf(new URL('http://2130706433/'))).toBe('127.0.0.1')
    expect(literalOf(new URL('http://localhost/'))).toBeNull()
  })
})
