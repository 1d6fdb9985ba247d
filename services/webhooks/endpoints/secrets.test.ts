// Tests how a secret is shown, and that it opens only for its endpoint. docs/spec/webhooks.md#secret
import { describe, expect, test } from '@jest/globals'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { formatSecret } from '#webhook-request/signature'
import { createSecret, lastFourOf, openSecret, sealSecret } from './secrets.ts'

describe('a secret', () => {
  const key = () => createSecretKey(randomBytes(32))
  const endpointId = randomUUID()

  test('is 32 random bytes, shown as whsec_ and padded base64, and listed by its last four characters', () => {
    const secret = createSecret()
    expect(secret).toHaveLength(32)
    const shown = formatSecret(secret)
    expect(shown).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown.endsWith(lastFourOf(secret))).toBe(true)
    expect(lastFourOf(secret)).toHaveLength(4)
  })

  test('opens under its key at its endpoint, also after SECRET_KEY has changed', () => {
    const [old, young] = [key(), key()]
    const secret = createSecret()
    const sealed = sealSecret(secret, endpointId, [old])
    expect(openSecret(sealed, endpointId, [young, old])).toEqual(secret)
    expect(sealed.sealed.includes(secret)).toBe(false)
  })

  test('does not open for another endpoint, with another key, or with one changed bit', () => {
    const [own, other] = [key(), key()]
    const sealed = sealSecret(createSecret(), endpointId, [own])
    expect(() => openSecret(sealed, randomUUID(), [own])).toThrow('unable to authenticate')
    expect(() => openSecret(sealed, endpointId, [other])).toThrow('set SECRET_KEY_PREVIOUS')
    for (const index of [0, 12, 28, 59]) {
      const bent = Buffer.from(sealed.sealed)
      bent.writeUInt8(bent.readUInt8(index) ^ 1, index)
      expect(() => openSecret({ ...sealed, sealed: bent }, endpointId, [own])).toThrow('unable to authenticate')
    }
  })

  test('is encrypted differently every time', () => {
    const own = key()
    const secret = createSecret()
    expect(sealSecret(secret, endpointId, [own]).sealed).not.toEqual(sealSecret(secret, endpointId, [own]).sealed)
  })
})
