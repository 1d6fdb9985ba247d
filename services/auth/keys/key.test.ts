// The form of API keys and their digests. docs/spec/security.md#api-keys
import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isKeyForm } from '#contracts/key-form'
import { digestsOf, matchingDigest, mintKey, shownParts } from './key.ts'

const known = 'sfk_0000000000000000000000000000000000000000000'
const newest = createSecretKey(Buffer.alloc(32, 1))
const before = createSecretKey(Buffer.alloc(32, 2))

describe('form', () => {
  test('a minted key is sfk_ and 49 base62 digits, and has the form of a key', () => {
    for (let round = 0; round < 200; round += 1) {
      const key = mintKey()
      expect(key).toMatch(/^sfk_[0-9A-Za-z]{49}$/)
      expect(isKeyForm(key)).toBe(true)
    }
  })

  test('all keys differ, and every digit takes many values', () => {
    const keys = Array.from({ length: 500 }, mintKey)
    expect(new Set(keys).size).toBe(500)
    for (let digit = 5; digit < 53; digit += 1) {
      expect(new Set(keys.map((key) => key[digit])).size).toBeGreaterThan(digit < 47 ? 50 : 4)
    }
  })

  test('the checksum of a known key is the CRC-32 of everything before it', () => {
    expect(isKeyForm(`${known}2sgPrx`)).toBe(false)
    expect(isKeyForm(`${known}2sgPrG`)).toBe(true)
  })

  test('one wrong digit anywhere, or two swapped, make a malformed key', () => {
    const key = mintKey()
    const digits = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 52 }), digits, (index, digit) => {
        fc.pre(key[index] !== digit)
        expect(isKeyForm(key.slice(0, index) + digit + key.slice(index + 1))).toBe(false)
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 51 }), (index) => {
        fc.pre(key[index] !== key[index + 1])
        const swapped = key.slice(0, index) + key[index + 1] + key[index] + key.slice(index + 2)
        expect(isKeyForm(swapped)).toBe(false)
      }),
    )
  })

  test.each(['', 'sfk_', known, `${known}00000`, `${known}0000000`, `SFK_${'0'.repeat(49)}`, `sfk_${'-'.repeat(49)}`])(
    '%j is a malformed key',
    (text) => {
      expect(isKeyForm(text)).toBe(false)
    },
  )
})

describe('digest', () => {
  test('has 32 bytes and differs under each pepper', () => {
    const [one, other] = digestsOf(known, [newest, before])
    expect(one).toHaveLength(32)
    expect(other).toHaveLength(32)
    expect(one?.equals(other ?? Buffer.alloc(0))).toBe(false)
  })

  test('a stored digest matches the pepper it was made under, and no other', () => {
    const digests = digestsOf(known, [newest, before])
    expect(matchingDigest(digestsOf(known, [newest])[0] ?? Buffer.alloc(0), digests)).toBe(0)
    expect(matchingDigest(digestsOf(known, [before])[0] ?? Buffer.alloc(0), digests)).toBe(1)
    expect(matchingDigest(Buffer.alloc(32), digests)).toBe(-1)
    expect(matchingDigest(Buffer.alloc(31), digests)).toBe(-1)
  })
})

test('the shown parts are the first twelve and the last four characters', () => {
  expect(shownParts('sfk_ABCDEFGHIJKLMNOPQRSTUVWXYZ')).toEqual({ prefix: 'sfk_ABCDEFGH', lastFour: 'WXYZ' })
})
