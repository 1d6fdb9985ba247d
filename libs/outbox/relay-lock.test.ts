// The lock of a relay: held by one at a time, and not kept by one that hangs. docs/spec/outboxes.md#relay
import { expect, test } from '@jest/globals'
import { databaseDuringTests } from '#testing/during-tests'
import { eventStorage } from '#testing/event-schema'
import { until } from '#testing/until'
import { underRelayLock } from './relay-lock.ts'

const db = databaseDuringTests(eventStorage)
const take = (idleMs?: number) => underRelayLock(db, 'lock', async () => 'taken', idleMs)

test('the lock of a relay that hangs is free for another one after a while, and the one that hung fails', async () => {
  const { promise: hangs, resolve: wakeUp } = Promise.withResolvers<void>()
  const hanging = underRelayLock(
    db,
    'lock',
    async (session) => {
      await hangs
      return session.rows('select 1')
    },
    200,
  ).catch((error: unknown) => error)
  expect(await take()).toBeNull()
  expect(await until(() => take())).toBe('taken')
  wakeUp()
  expect(await hanging).toBeInstanceOf(Error)
})

test('afterwards the connection may be idle as long as before', async () => {
  await take(200)
  const before = await db.rows('show idle_session_timeout')
  expect(before).toEqual([{ idle_session_timeout: '0' }])
})
