// Which header is a key, and what each refusal says (docs/spec/rest-api.md#authentication, docs/spec/rest-api.md#errors).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { openAdmission } from '#testing/product/admission'
import { type Authenticate, authenticator } from './authenticate.ts'

const admission = duringTests(() => openAdmission({ env: { REQUESTS_PER_MINUTE: '5', AUTH_FAILURES_PER_MINUTE: '2' } }))
let authenticate: Authenticate
beforeAll(async () => {
  const [gateway] = admission.gateways
  if (gateway === undefined) throw new Error('There is no gateway.')
  authenticate = authenticator(gateway.leases)
})

describe('the header', () => {
  test.each(['Bearer ', 'bearer ', 'BEARER  '])('%j before the key opens', async (scheme) => {
    const { key, shopId, id } = await admission.makeKey({ access: 'write' })
    expect(await authenticate(`${scheme}${key}`, 'a')).toEqual({
      resources: null,
      caller: {
        shopId,
        keyId: id,
        canWrite: true,
        handle: expect.any(String),
        currency: 'GBP',
        timeZone: 'Europe/London',
        country: null,
      },
      budget: { limit: 5, remaining: 4, resetS: 60 },
    })
  })

  test.each([
    ['nothing before it', (key: string) => key],
    ['another scheme', (key: string) => `Basic ${key}`],
    ['two of them', (key: string) => `Bearer ${key}, Bearer ${key}`],
    ['two keys', (key: string) => `Bearer ${key} ${key}`],
    ['a key that is too long', (key: string) => `Bearer ${key}${'x'.repeat(500)}`],
    ['the scheme alone', () => 'Bearer'],
    ['an empty text', () => ''],
  ])('%s is 401', async (name, header) => {
    const { key } = await admission.makeKey()
    await expect(authenticate(header(key), name)).rejects.toMatchObject({
      type: 'unauthorized',
      message: 'This API key is not known. It may be mistyped or revoked.',
    })
  })
})

describe('the refusal', () => {
  test('no header: 401 says that a key is needed; the third one from the same source is 429 with the seconds to wait', async () => {
    const words = 'An API key is needed: send the header "Authorization: Bearer <API_KEY>".'
    await expect(authenticate(undefined, 'b')).rejects.toMatchObject({ type: 'unauthorized', message: words })
    await expect(authenticate(undefined, 'b')).rejects.toMatchObject({ type: 'unauthorized' })
    const third = await authenticate(undefined, 'b').catch((error: unknown) => error)
    expect(third).toMatchObject({ type: 'rate_limited', data: { retry_after_s: expect.any(Number) } })
    const { retry_after_s: wait } = (third as { data: { retry_after_s: number } }).data
    expect(wait > 30 && wait <= 60).toBe(true) // The window runs at the database.
    expect(third).not.toHaveProperty('data.budget')
  })

  test('a plan without the API: 403 with the budget, which is charged, and the caller for whom it counts', async () => {
    const { key, id } = await admission.makeKey({ plan: 'basic' })
    await expect(authenticate(`Bearer ${key}`, 'c')).rejects.toMatchObject({
      type: 'forbidden',
      message: "The plan of this key's shop does not include the API.",
      data: { budget: { limit: 5, remaining: 4, resetS: 60 }, caller: { keyId: id } },
    })
  })

  test('a used-up budget: 429 with the budget and the seconds to wait, and the caller for whom it counts', async () => {
    const { key, id } = await admission.makeKey()
    for (let call = 0; call < 5; call += 1) await authenticate(`Bearer ${key}`, 'd')
    await expect(authenticate(`Bearer ${key}`, 'd')).rejects.toMatchObject({
      type: 'rate_limited',
      message: 'More than 5 calls in a minute with this key. Try again in 60 s.',
      data: { retry_after_s: 60, budget: { limit: 5, remaining: 0, resetS: 60 }, caller: { keyId: id } },
    })
  })
})
