// Requests with one Idempotency-Key and body share the id of one order, while its reservation exists for certain.
// docs/spec/order-states.md#reservation
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { RequestInfo } from '#runtime/service'
import type { Database } from '#postgres/connect'
import { idempotencySecrets } from '#postgres/idempotency'
import { openStorage } from '#testing/database'
import { makeCaller } from '#testing/product/one-service'
import { deleteOldIntents, orderIdOf } from './intent.ts'
import { orders } from '../service.ts'

let db: Database
let close: () => Promise<void>
const caller = makeCaller()

beforeAll(async () => {
  if (orders.storage === null) throw new Error('The service has no storage.')
  const storage = await openStorage(orders.storage)
  db = storage.db
  close = storage.close
})
afterAll(() => close())

const [old, present] = ['the secret that was in use before.', 'a secret of at least 32 characters.']
const secrets = idempotencySecrets({ secretKey: present, secretKeyPrevious: null })
const steps = [
  idempotencySecrets({ secretKey: old, secretKeyPrevious: null }),
  idempotencySecrets({ secretKey: old, secretKeyNext: present, secretKeyPrevious: null }),
  idempotencySecrets({ secretKey: present, secretKeyPrevious: old }),
  secrets,
]
const request = (key: string | null, fingerprint = 'a', from = caller): RequestInfo => ({
  claimed: { caller: from },
  caller: from,
  now: new Date(),
  idempotency: key === null ? null : { key, fingerprint, secrets },
  requestId: null,
  operator: null,
  meta: {},
})
const age = (seconds: number) =>
  db.rows('update order_intents set created_at = created_at - make_interval(secs => $1) where order_id is not null', [
    seconds,
  ])
const count = async () => (await db.rows('select 1 from order_intents')).length

test('fifty requests with one key and body at once have one id', async () => {
  const key = randomUUID()
  const ids = await Promise.all(Array.from({ length: 50 }, () => orderIdOf(db, request(key))))
  expect(new Set(ids).size).toBe(1)
})

test('replicas of neighbouring steps of a rotation of SECRET_KEY give one id, whichever is first', async () => {
  for (const [at, step] of steps.slice(1).entries()) {
    for (const pair of [
      [steps[at], step],
      [step, steps[at]],
    ]) {
      const key = randomUUID()
      const asked = Array.from({ length: 20 }, (_, index) => {
        const accepted = pair[index % 2] ?? secrets
        return orderIdOf(db, { ...request(null), idempotency: { key, fingerprint: 'a', secrets: accepted } })
      })
      expect(new Set(await Promise.all(asked)).size).toBe(1)
    }
  }
})

test('another body, another shop, another key and no key at all have ids of their own', async () => {
  const key = randomUUID()
  const requests = [
    request(key),
    request(key, 'b'),
    request(key, 'a', makeCaller()),
    request(randomUUID()),
    request(null),
    request(null),
  ]
  const ids = await Promise.all(requests.map((one) => orderIdOf(db, one)))
  expect(new Set(ids).size).toBe(6)
})

test('an id is shared for a minute, half of the life of a reservation without an order', async () => {
  const key = randomUUID()
  const first = await orderIdOf(db, request(key))
  await age(30)
  expect(await orderIdOf(db, request(key))).toBe(first)
  await age(31)
  const second = await orderIdOf(db, request(key))
  expect(second).not.toBe(first)
  expect(await orderIdOf(db, request(key))).toBe(second)
})

test('intents that are no longer shared are deleted', async () => {
  await age(61)
  const fresh = randomUUID()
  const id = await orderIdOf(db, request(fresh))
  await deleteOldIntents(db)
  expect(await count()).toBe(1)
  expect(await orderIdOf(db, request(fresh))).toBe(id)
})
