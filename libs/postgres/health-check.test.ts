// The health check on a real database. docs/spec/running.md#readiness
import { expect, test } from '@jest/globals'
import { until } from '#testing/until'
import { connect } from './connect.ts'
import { openHealthCheck } from './health-check.ts'

const storage = { schema: 'public', entities: [], migrations: [] }
const options = {
  url: process.env.TEST_DATABASE_URL ?? '',
  role: null,
  connectionsMax: 1,
  statementTimeoutMs: 5_000,
  onError: () => undefined,
}

test('for a database that answers there is no reason', async () => {
  const db = await connect(storage, options)
  expect(await openHealthCheck(db, 'orders')()).toBeNull()
  await db.close()
})

test('a pool without a free connection is a reason in time, and none any more when it has one', async () => {
  const db = await connect(storage, options)
  const check = openHealthCheck(db, 'orders', 100)
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const session = db.session(async (one) => {
    await one.rows('select 1')
    held()
    await isOver
  })
  await isHeld
  expect(await Promise.all([check(), check(), check()])).toEqual(
    Array(3).fill('the database of orders does not answer within 100 ms'),
  )
  expect(db.poolUse().waiting).toBe(1) // However often it is called.
  end()
  await session
  await until(async () => (await check()) === null)
  await db.close()
})

test('a query that takes too long is a reason also for a caller that comes shortly before its answer', async () => {
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<never[]>()
  const check = openHealthCheck(
    { rows: () => isAnswered, write: () => Promise.reject(new Error('not used')) },
    'orders',
    50,
  )
  const late = 'the database of orders does not answer within 50 ms'
  expect(await check()).toBe(late)
  const second = check()
  answer([])
  expect(await second).toBe(late)
})

test('a database that cannot be reached is a reason', async () => {
  const db = await connect(storage, options)
  await db.close()
  expect(await openHealthCheck(db, 'orders')()).toBe('the database of orders does not answer')
})
