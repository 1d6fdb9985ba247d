// Mailboxes and tokens of the double opt-in. docs/spec/double-opt-in.md#token, docs/spec/double-opt-in.md#limits
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { normaliseEmail } from '#person/person'
import { canonicalMailbox, digestToken, mailboxDigest, mintToken } from './opt-in.ts'

describe('canonical mailbox', () => {
  test.each([
    ['Ada@example.com', 'ada@example.com'],
    ['ada+shop@example.com', 'ada@example.com'],
    ['ada+a+b@example.com', 'ada@example.com'],
    ['ada+@example.com', 'ada@example.com'],
    ['a.da@example.com', 'a.da@example.com'],
    ['+tag@example.com', '+tag@example.com'],
    ['JOSÉ+x@xn--bcher-kva.example', 'josé@xn--bcher-kva.example'],
  ])('%s reaches %s', (email, mailbox) => {
    expect(canonicalMailbox(email)).toBe(mailbox)
  })

  const email = fc
    .oneof(
      fc.emailAddress(),
      fc
        .tuple(fc.string({ unit: fc.constantFrom('a', 'B', '+', 'É', 'İ', 'ß', '\u0301'), minLength: 1 }))
        .map(([local]) => `${local}@Example.com`),
    )
    .map(normaliseEmail)
    .filter((text) => text !== null)

  test('of a canonical mailbox is itself', () => {
    fc.assert(
      fc.property(email, (text) => {
        const mailbox = canonicalMailbox(text)
        expect(canonicalMailbox(mailbox)).toBe(mailbox)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is the same for every plus tag and case, and keeps the domain', () => {
    const tag = fc.stringMatching(/^[a-zA-Z0-9+]{0,8}$/)
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9.]{1,12}$/), tag, (local, text) => {
        const plain = `${local}@example.com`
        const mailbox = canonicalMailbox(plain)
        expect(canonicalMailbox(`${local.toUpperCase()}+${text}@example.com`)).toBe(mailbox)
        expect(mailbox).toBe(`${local.toLowerCase()}@example.com`)
      }),
    )
  })

  test('is stored as a digest of 32 bytes when it is suppressed', () => {
    expect(mailboxDigest('ada@example.com').toString('hex')).toBe(
      'b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72',
    )
  })
})

describe('token', () => {
  test('is 32 random bytes in base64url and has a digest', () => {
    const { token, digest } = mintToken()
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(digest).toHaveLength(32)
    expect(digestToken(token)).toEqual(digest)
    expect(new Set(Array.from({ length: 100 }, () => mintToken().token)).size).toBe(100)
  })

  test.each(['', 'x', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}ä`, '../'.repeat(20)])(
    'cannot be %j',
    (text) => {
      expect(digestToken(text)).toBeNull()
    },
  )
})
