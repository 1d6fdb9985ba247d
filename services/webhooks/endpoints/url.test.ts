// Proves which URLs an endpoint may have, and that no spelling of an address slips through as a name.
import { describe, expect, test } from '@jest/globals'
import { literalOf, checkUrl } from './url.ts'

const fine: [string, string][] = [
  ['https://example.com/hook', 'https://example.com/hook'],
  ['https://hooks.example.com:443/a?b=c', 'https://hooks.example.com/a?b=c'],
  ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
  ['https://hooks.example.com:1024/', 'https://hooks.example.com:1024/'],
  ['HTTPS://EXAMPLE.COM', 'https://example.com/'],
  ['https://bücher.example/hook', 'https://xn--bcher-kva.example/hook'],
  ['https://a-b.c1.co.uk/', 'https://a-b.c1.co.uk/'],
  [`https://example.com/${'a'.repeat(2_028)}`, `https://example.com/${'a'.repeat(2_028)}`],
]

const refused = [
  // Not https.
  ...[
    'http://example.com/',
    'ftp://example.com/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'unix:/run/x.sock',
    'example.com',
  ],
  // Userinfo and fragment.
  ...['https://user@example.com/', 'https://user:pw@example.com/', 'https://@example.com/', 'https://:@example.com/'],
  ...['https://example.com/#x', 'https://example.com/#', 'https://127.0.0.1#@example.com/'],
  // Ports of other services.
  ...[
    'https://example.com:80/',
    'https://example.com:22/',
    'https://example.com:1023/',
    'https://example.com:0/',
    'https://example.com:99999/',
  ],
  // Addresses: plain, decimal, octal, hex, short, in brackets, mapped, with a scope, in digits of other scripts.
  ...['https://127.0.0.1/', 'https://8.8.8.8/', 'https://2130706433/', 'https://0177.0.0.1/', 'https://0x7f.0.0.1/'],
  ...[
    'https://0x7f000001/',
    'https://127.1/',
    'https://127.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
  ],
  ...[
    'https://[::ffff:127.0.0.1]/',
    'https://[fe80::1%25eth0]/',
    'https://１２７.０.０.１/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
  ],
  // Names that are no names of the public DNS.
  ...[
    'https://localhost/',
    'https://intranet/',
    'https://example.com./',
    'https://127.0.0.1./',
    'https://a..b.com/',
    'https://-a.com/',
  ],
  ...[
    'https://a-.com/',
    'https://a_b.com/',
    `https://${'a'.repeat(64)}.com/`,
    `https://${'a.'.repeat(130)}com/`,
    'https://example.1/',
  ],
  ...['https://exam%00ple.com/'],
  // What a parser would repair.
  ...[
    'https://example.com\\@127.0.0.1/',
    'https:\\\\example.com',
    'https://exa\nmple.com/',
    'https://example.com/\r\nX: y',
    ' https://example.com/',
  ],
  ...['https://example.com/ a', 'https://exam\tple.com/', '', 'https://', `https://example.com/${'a'.repeat(2_029)}`],
  `https://example.com/${'ü'.repeat(1_000)}`,
]

describe('a URL', () => {
  test.each(fine)('%s is taken', (text, normal) => {
    const checked = checkUrl(text, false)
    expect('url' in checked && checked.url.href).toBe(normal)
  })

  test.each(refused)('"%s" is refused', (text) => {
    expect(checkUrl(text, false)).toEqual({ problem: expect.any(String) })
  })

  test('may be http, an address and any port where private targets are allowed', () => {
    for (const text of ['http://127.0.0.1:80/hook', 'http://localhost:3000/', 'https://[::1]:9/', 'http://intranet/']) {
      expect(checkUrl(text, true)).toEqual({ url: new URL(text) })
    }
    for (const text of ['ftp://127.0.0.1/', 'http://u@localhost/', 'http://localhost/#x', 'http://local host/']) {
      expect(checkUrl(text, true)).toEqual({ problem: expect.any(String) })
    }
  })

  test('with an address tells it without brackets, one with a name tells none', () => {
    expect(literalOf(new URL('http://[::1]:3000/'))).toBe('::1')
    expect(literalOf(new URL('http://2130706433/'))).toBe('127.0.0.1')
    expect(literalOf(new URL('http://localhost/'))).toBeNull()
  })
})
