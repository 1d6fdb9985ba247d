// The time of a refusal tells nothing about keys: unknown, nearly right and revoked ones take the same.
// docs/spec/security.md#comparison-of-secrets
// A text without the form of a key is refused sooner. That form is public.
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { expectSameTimes } from '#testing/same-times'
import { isKeyForm } from '#contracts/key-form'
import { mintKey } from './key.ts'
import { auth } from '../service.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const service = duringTests(() => openService(auth, {}, { AUTH_FAILURES_PER_MINUTE: '1000000' }))

function base62(value: number): string {
  let digits = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) digits = DIGITS.charAt(rest % 62) + digits
  return digits.padStart(6, '0')
}

/** The key with another last digit and a checksum that fits. */
function changeLastDigit(key: string): string {
  const secret = key.slice(0, -6)
  const last = DIGITS[(DIGITS.indexOf(secret.at(-1) ?? '') + 1) % 62] ?? ''
  const changed = secret.slice(0, -1) + last
  return changed + base62(crc32(changed))
}

test('three kinds of bad keys are refused in the same time', async () => {
  const shop = { handle: 'tea', name: 'Tea', currency: 'GBP', timeZone: 'UTC' }
  const { data } = JSON.parse(String(await service.call('shops.create', { shop })))
  const caller = makeCaller({ shopId: data.id })
  const make = async () => {
    const body = await service.call('keys.create', { key: { name: 'till', access: 'read' } }, { caller })
    return JSON.parse(String(body)).data as { id: string; secret: string }
  }
  const [good, revoked] = [await make(), await make()]
  await service.call('keys.revoke', { id: revoked.id }, { caller })
  const near = changeLastDigit(good.secret)
  expect(isKeyForm(near)).toBe(true)

  const admit = (key: string) => {
    const request = { source: '192.0.2.1', node: 'test', grant_id: randomUUID(), want: 1, exact: true }
    return service.call('auth.admit', { key, ...request })
  }
  expect(await admit(good.secret)).toMatchObject({ decision: 'admitted' })
  const refused = async (key: string) => expect(await admit(key)).toMatchObject({ decision: 'unauthorized' })
  await expectSameTimes({
    unknown: () => refused(mintKey()),
    'one digit off': () => refused(near),
    revoked: () => refused(revoked.secret),
  })
})
