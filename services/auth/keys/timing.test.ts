// Proves that the time of a refusal tells nothing about keys: one that is made up, one that differs from a good key in its last
// digit and one that was revoked take the same. security-and-faults.md, row "Compare". A text without the form of a key is
// refused sooner; its form is public, so whoever sent it knew.
import { randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { isKeyForm, mintKey } from './key.ts'
import { auth } from '../service.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ROUNDS = 400

let service: OneService
beforeAll(async () => {
  service = await openService(auth, {}, { AUTH_FAILURES_PER_MINUTE: '1000000' })
})
afterAll(() => service.close())

function base62(value: number): string {
  let digits = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) digits = DIGITS.charAt(rest % 62) + digits
  return digits.padStart(6, '0')
}

/** The key with another last digit before its checksum, which fits again. */
function neighbourOf(key: string): string {
  const secret = key.slice(0, -6)
  const last = DIGITS[(DIGITS.indexOf(secret.at(-1) ?? '') + 1) % 62] ?? ''
  const changed = secret.slice(0, -1) + last
  return changed + base62(crc32(changed))
}

test('the medians of three kinds of bad keys are within noise', async () => {
  const shop = { handle: 'tea', name: 'Tea', currency: 'GBP', timeZone: 'UTC' }
  const { data } = JSON.parse(String(await service.call('shops.create', { shop })))
  const caller = makeCaller({ shopId: data.id })
  const make = async () => {
    const body = await service.call('keys.create', { key: { name: 'till', access: 'read' } }, { caller })
    return JSON.parse(String(body)).data as { id: string; secret: string }
  }
  const [good, gone] = [await make(), await make()]
  await service.call('keys.revoke', { id: gone.id }, { caller })
  const near = neighbourOf(good.secret)
  expect(isKeyForm(near)).toBe(true)

  const admit = (key: string) => {
    const question = { source: '192.0.2.1', node: 'test', grant_id: randomUUID(), want: 1, exact: true }
    return service.call('auth.admit', { key, ...question })
  }
  expect(await admit(good.secret)).toMatchObject({ decision: 'admitted' })
  const kinds = {
    'made up': () => mintKey(),
    'one digit off': () => near,
    revoked: () => gone.secret,
  }
  const times: Record<string, number[]> = {}
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  for (let round = 0; round < ROUNDS; round += 1) {
    // In turn, each time beginning with another, so that whatever slows this machine down slows all.
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length] ?? 'made up'
      const key = kinds[name]()
      const began = performance.now()
      expect(await admit(key)).toMatchObject({ decision: 'unauthorized' })
      if (round > 50) (times[name] ??= []).push(performance.now() - began)
    }
  }
  const medians = Object.values(times).map((list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0)
  expect(medians).toHaveLength(3)
  expect(Math.max(...medians) - Math.min(...medians)).toBeLessThan(Math.max(0.3, Math.min(...medians) * 0.25))
})
