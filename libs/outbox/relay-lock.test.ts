// The lock of a relay: held by one at a time, and not kept by one that hangs. docs/spec/outboxes.md#relay
import { expect, test } from '@jest/globals'
import { databaseDuringTests } from '#testing/during-tests'
import type { Sql } from '#postgres/connect'
import { eventStorage } from '#testing/event-schema'
import { until } from '#testing/until'
import { underRelayLock } from './relay-lock.ts'

const db = databaseDuringTests(eventStorage)
const take = (idleMs?: number) => underRelayLock(db, 'lock', async () => 'taken', idleMs)

/** A relay that holds the lock and sends nothing until it is woken up; it resolves with its result or its error. */
async function hold(idleMs?: number) {
  const [holds, sleeps] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const work = async (session: Sql) => {
    holds.resolve()
    await sleeps.promise
    return session.rows<{ one: number }>('select 1 as one')
  }
  const ended = underRelayLock(db, 'lock', work, idleMs).catch((error: unknown) => error)
  await holds.promise
  return { ended, wakeUp: () => sleeps.resolve() }
}

test('one relay holds the lock at a time', async () => {
  const { ended, wakeUp } = await hold()
  expect(await take()).toBeNull()
  wakeUp()
  expect(await ended).toEqual([{ one: 1 }])
  expect(await take()).toBe('taken')
})

test('the lock of a relay that hangs is free for another one after a while, and the one that hung fails', async () => {
  const { ended, wakeUp } = await hold(200)
  expect(await until(() => take())).toBe('taken')
  wakeUp()
  expect(await ended).toBeInstanceOf(Error)
})

test('afterwards the connection may be idle as long as before', async () => {
  await take(5_000)
  const before = await db.rows('show idle_session_timeout')
  expect(before).toEqual([{ idle_session_timeout: '0' }])
})
