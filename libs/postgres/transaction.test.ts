// Proves that what PostgreSQL calls off is done again inside: the caller sees nothing, and the change and its event are there
// once. security-and-faults.md, row "deadlock or serialisation failure forced".
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { recordEvent } from '#outbox/record-event'
import { openStorage } from '#testing/database'
import { eventStorage, makeHappened } from '#testing/event-schema'
import type { Database, Sql } from './connect.ts'

const [one, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']

let db: Database
let close: () => Promise<void>
beforeEach(async () => {
  ;({ db, close } = await openStorage(eventStorage))
  await db.rows('create table counters (id uuid primary key, n integer not null)')
  await db.rows('insert into counters values ($1, 0), ($2, 0)', [one, other])
})
afterEach(() => close())

const raise = (tx: Sql, id: string) => tx.rows('update counters set n = n + 1 where id = $1', [id])
const counts = () => db.rows<{ n: number }>('select n from counters order by id')
const events = () =>
  db.rows<{ object_id: string; sequence: number }>('select object_id, sequence from events order by 1')

/** Settles for all when so many have come. */
function meeting(size: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let here = 0
  return () => {
    here += 1
    if (here >= size) resolve()
    return promise
  }
}

test('of two commands that deadlock both are done, each with one event', async () => {
  const both = meeting(2)
  let attempts = 0
  const command = (first: string, second: string) =>
    db.transaction(async (tx) => {
      attempts += 1
      await recordEvent(tx, makeHappened({ objectId: first }))
      await raise(tx, first)
      await both() // Each holds its first row now, and wants the other's.
      await raise(tx, second)
      return `${first} is done`
    })
  const answers = await Promise.all([command(one, other), command(other, one)])
  expect(answers).toEqual([`${one} is done`, `${other} is done`])
  expect(attempts).toBeGreaterThan(2) // One more when who was called off is back before the other has woken up.
  expect(await counts()).toEqual([{ n: 2 }, { n: 2 }])
  expect(await events()).toEqual([
    { object_id: one, sequence: 1 },
    { object_id: other, sequence: 1 },
  ])
})

test('of two commands that cannot be put in an order both are done, each with one event', async () => {
  const both = meeting(2)
  let attempts = 0
  const command = (objectId: string) =>
    db.transaction(async (tx) => {
      attempts += 1
      await tx.rows('set transaction isolation level repeatable read')
      const [row] = await tx.rows<{ n: number }>('select n from counters where id = $1', [one])
      await both()
      await recordEvent(tx, makeHappened({ objectId }))
      await tx.rows('update counters set n = $2 where id = $1', [one, (row?.n ?? 0) + 1])
    })
  await Promise.all([command(one), command(other)])
  expect(attempts).toBe(3)
  expect(await counts()).toEqual([{ n: 2 }, { n: 0 }])
  expect(await events()).toEqual([
    { object_id: one, sequence: 1 },
    { object_id: other, sequence: 1 },
  ])
})

test('what is called off again and again fails after three times, and leaves nothing', async () => {
  let attempts = 0
  const command = db.transaction(async (tx) => {
    attempts += 1
    await recordEvent(tx, makeHappened({ objectId: one }))
    await raise(tx, one)
    await tx.rows("do $$ begin raise exception 'called off' using errcode = '40P01'; end $$")
  })
  await expect(command).rejects.toThrow('called off')
  expect(attempts).toBe(3)
  expect(await counts()).toEqual([{ n: 0 }, { n: 0 }])
  expect(await events()).toEqual([])
})

test('a transaction whose statement failed is not taken for done where the work went on all the same', async () => {
  const careless = db.transaction(async (tx) => {
    await raise(tx, one)
    await tx.rows('select 1 / 0').catch(() => undefined)
  })
  await expect(careless).rejects.toThrow('A failed transaction was to be committed.')
  expect(await counts()).toEqual([{ n: 0 }, { n: 0 }])
})
