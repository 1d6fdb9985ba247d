// Tests the signature and the headers against the official package. docs/spec/webhooks.md#signature, #request
import { describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { formatSecret, headersOf, signatureOf } from './signature.ts'

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
    const secret = randomBytes(32)
    const webhook = new Webhook(formatSecret(secret))
    fc.assert(
      fc.property(fc.json(), (body) => {
        expect(webhook.verify(body, headersOf(message(body), [secret]))).toEqual(JSON.parse(body))
      }),
    )
  })

  test('of both secrets is in one header while they overlap, the newer first', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const headers = headersOf(message('{"a":1}'), [newer, older])
    for (const secret of [older, newer])
      expect(new Webhook(formatSecret(secret)).verify('{"a":1}', headers)).toEqual({ a: 1 })
    expect(() => new Webhook(formatSecret(randomBytes(32))).verify('{"a":1}', headers)).toThrow(
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
