// Tests the signature against the official package, and that a secret opens only for its endpoint. docs/spec/webhooks.md#signature
import { describe, expect, test } from '@jest/globals'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { lastFourOf, createSecret, openSecret, sealSecret, formatSecret } from './signing.ts'
import { headersOf, signatureOf } from './signing.ts'

const nowS = () => Math.floor(Date.now() / 1_000)
const message = (body: string) => ({
  id: randomUUID(),
  stampS: nowS(),
  body: Buffer.from(body),
  attempt: 3,
  reason: 'manual' as const,
})

describe('the signature', () => {
  test('is the one of the published example', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const body = Buffer.from('{"test": 2432232314}')
    expect(signatureOf({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', stampS: 1_614_265_330, body }, secret)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  test('is verified by the official package, whatever the body', () => {
    const secret = createSecret()
    const webhook = new Webhook(formatSecret(secret))
    fc.assert(
      fc.property(fc.json(), (body) => {
        expect(webhook.verify(body, headersOf(message(body), [secret]))).toEqual(JSON.parse(body))
      }),
    )
  })

  test('of both secrets is in one header while they overlap, the newer first', () => {
    const [older, newer] = [createSecret(), createSecret()]
    const headers = headersOf(message('{"a":1}'), [newer, older])
    for (const secret of [older, newer])
      expect(new Webhook(formatSecret(secret)).verify('{"a":1}', headers)).toEqual({ a: 1 })
    expect(() => new Webhook(formatSecret(createSecret())).verify('{"a":1}', headers)).toThrow(
      'No matching signature found',
    )
    const [first, second, ...rest] = (headers['webhook-signature'] ?? '').split(' ')
    expect([first, second, rest]).toEqual([expect.stringMatching(/^v1,/), expect.stringMatching(/^v1,/), []])
    expect(
      headersOf(
        { ...message('{"a":1}'), id: headers['webhook-id'] ?? '', stampS: Number(headers['webhook-timestamp']) },
        [newer],
      )['webhook-signature'],
    ).toBe(first)
  })

  test('is sent with exactly these headers', () => {
    expect(headersOf({ ...message('{"é":1}'), id: 'an id', stampS: 7 }, [Buffer.alloc(32)])).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'service-webhooks/1',
      'webhook-id': 'an id',
      'webhook-timestamp': '7',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'service-attempt': '3',
      'service-reason': 'manual',
      'content-length': '8',
    })
  })
})

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
