// Proves that calls of one Idempotency-Key mean one order, for as long as what they reserve is surely there.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { RequestInfo } from '#runtime/service'
import type { Database } from '#postgres/connect'
import { openStorage } from '#testing/database'
import { makeCaller } from '#testing/one-service'
import { deleteOldIntents, orderIdOf } from './intent.ts'
import { orders } from '../service.ts'

let db: Database
let close: () => Promise<void>
const caller = makeCaller()

beforeAll(async () => {
  if (orders.storage === null) throw new Error('Orders keeps rows.')
  const storage = await openStorage(orders.storage)
  db = storage.db
  close = storage.close
})
afterAll(() => close())

const request = (key: string | null, fingerprint = 'a', from = caller): RequestInfo => ({
  caller: from,
  now: new Date(),
  idempotency: key === null ? null : { key, fingerprint },
  requestId: null,
  meta: {},
})
const age = (seconds: number) =>
  db.rows('update order_intents set created_at = created_at - make_interval(secs => $1) where order_id is not null', [
    seconds,
  ])
const count = async () => (await db.rows('select 1 from order_intents')).length

test('fifty calls of one key and body at once hear one id', async () => {
  const key = randomUUID()
  const ids = await Promise.all(Array.from({ length: 50 }, () => orderIdOf(db, request(key))))
  expect(new Set(ids).size).toBe(1)
})

test('another body, another shop, another key and no key at all have ids of their own', async () => {
  const key = randomUUID()
  const calls = [
    request(key),
    request(key, 'b'),
    request(key, 'a', makeCaller()),
    request(randomUUID()),
    request(null),
    request(null),
  ]
  const ids = await Promise.all(calls.map((one) => orderIdOf(db, one)))
  expect(new Set(ids).size).toBe(6)
})

test('an id is shared for a minute, which is half of what a reservation without an order lives', async () => {
  const key = randomUUID()
  const first = await orderIdOf(db, request(key))
  await age(30)
  expect(await orderIdOf(db, request(key))).toBe(first)
  await age(31)
  const second = await orderIdOf(db, request(key))
  expect(second).not.toBe(first)
  expect(await orderIdOf(db, request(key))).toBe(second)
})

test('what is shared no more is forgotten', async () => {
  await age(61)
  const fresh = randomUUID()
  const id = await orderIdOf(db, request(fresh))
  await deleteOldIntents(db)
  expect(await count()).toBe(1)
  expect(await orderIdOf(db, request(fresh))).toBe(id)
})
