// What guessing keys costs auth, and that callers with a valid key do not notice it (docs/spec/security.md#auth-failure-budget).
import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { isKeyForm, keyOf } from '#contracts/key-form'
import { type Admission, openAdmission, tally } from '#testing/product/admission'

let admission: Admission
let messages: { action: string; params: unknown }[]
afterEach(() => admission.close())

async function open(options: { gateways?: number; max?: string } = {}) {
  admission = await openAdmission({
    gateways: options.gateways ?? 1,
    replicas: 2,
    env: { AUTH_FAILURES_PER_MINUTE: options.max ?? '3' },
  })
  messages = []
  admission.tap.before = async (action, params) => void messages.push({ action, params })
}
const guess = () => keyOf(randomBytes(32))
const take = (key: string, gateway = 0) => {
  const found = admission.gateways[gateway]
  if (found === undefined) throw new Error(`There is no gateway ${gateway}.`)
  return found.take(key)
}
const sent = (name: string) => messages.filter(({ action }) => action === name).length

test('a malformed key never leaves the gateway, and costs no message once its source is over the budget', async () => {
  await open()
  const key = guess()
  const last = key.endsWith('0') ? '1' : '0'
  const texts = ['', 'x', key.slice(1), key.slice(0, -1), key.slice(0, -1) + last, `sfx_${key.slice(4)}`, `${key}0`]
  expect(texts.filter(isKeyForm)).toEqual([])
  const taken = []
  for (const text of texts) taken.push(await take(text))
  expect(tally(taken)).toEqual({ unauthorized: 3, source_limited: 4 })
  expect(messages.map(({ action, params }) => [action, params])).toEqual(
    Array(3).fill(['auth.note_failures', { failures: [{ source: '192.0.2.1', count: 1 }] }]),
  )
  expect(tally(await Promise.all(Array.from({ length: 500 }, () => take('x'))))).toEqual({ source_limited: 500 })
  expect(messages).toHaveLength(3)
})

test('forty guessing connections share questions that lock nothing, and are all refused', async () => {
  await open()
  for (let failure = 0; failure < 4; failure += 1) await take(guess())
  const before = { admit: sent('auth.admit'), rows: await admission.db.rows('select xmin::text, * from auth_failures') }
  const connection = async () => {
    const taken = []
    for (let turn = 0; turn < 10; turn += 1) taken.push(await take(guess()))
    return taken
  }
  const taken = await Promise.all(Array.from({ length: 40 }, connection))
  expect(tally(taken.flat())).toEqual({ source_limited: 400 })
  expect(sent('auth.admit')).toBe(before.admit)
  expect(sent('auth.find_keys')).toBeLessThanOrEqual(22)
  expect(await admission.db.rows('select xmin::text, * from auth_failures')).toEqual(before.rows)
})

test('a valid key is answered from a source over its budget, also by a gateway that does not know it yet', async () => {
  await open({ gateways: 2 })
  const { key } = await admission.makeKey()
  for (const gateway of [0, 1]) for (let failure = 0; failure < 4; failure += 1) await take('x', gateway)
  const taken = await Promise.all([0, 1].flatMap((gateway) => [take(key, gateway), take(guess(), gateway)]))
  expect(tally(taken)).toEqual({ admitted: 2, source_limited: 2 })
})

test('while auth is away a malformed key is refused by the count of the gateway, and a well-formed one as unavailable', async () => {
  await open()
  const { key } = await admission.makeKey()
  admission.tap.before = () => Promise.reject(new Error('away'))
  const taken = []
  for (let failure = 0; failure < 5; failure += 1) taken.push(await take('x'))
  expect(tally(taken)).toEqual({ unauthorized: 3, source_limited: 2 })
  await expect(take(key)).rejects.toMatchObject({ type: 'unavailable' })
})

test('a source that has used its budget up at auth is refused by every gateway, and may fail again after a minute', async () => {
  await open({ gateways: 2 })
  expect(tally([await take('x'), await take(guess()), await take('x', 1), await take('x', 1)])).toEqual({
    unauthorized: 3,
    source_limited: 1,
  })
  await admission.db.rows("update auth_failures set ends_at = ends_at - interval '60 seconds'")
  admission.clock.aheadMs += 60_000
  expect(tally([await take('x'), await take(guess(), 1), await take('', 1), await take('')])).toEqual({
    unauthorized: 3,
    source_limited: 1,
  })
})
