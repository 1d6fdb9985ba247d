// Guarantees of pulse.ts, on a real database.
import { expect, test } from '@jest/globals'
import { connect } from './connect.ts'
import { openPulse } from './health-check.ts'

const storage = { schema: 'public', entities: [], migrations: [] }
const options = {
  ...{ url: process.env.TEST_DATABASE_URL ?? '', role: null, connectionsMax: 1, statementTimeoutMs: 5_000 },
  onError: () => undefined,
}

test('a database that answers gives no reason', async () => {
  const db = await connect(storage, options)
  expect(await openPulse(db, 'orders')()).toBeNull()
  await db.close()
})

test('a pool without a free connection is a reason in good time, and none any more when it has one', async () => {
  const db = await connect(storage, options)
  const pulse = openPulse(db, 'orders', 100)
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const session = db.session(async (one) => {
    await one.rows('select 1')
    held()
    await isOver
  })
  await isHeld
  expect(await Promise.all([pulse(), pulse(), pulse()])).toEqual(
    Array(3).fill('the database of orders does not answer within 100 ms'),
  )
  expect(db.poolUse().waiting).toBe(1) // However often it is looked.
  end()
  await session
  expect(await pulse()).toBeNull()
  await db.close()
})

test('a database that cannot be asked is a reason', async () => {
  const db = await connect(storage, options)
  await db.close()
  expect(await openPulse(db, 'orders')()).toBe('the database of orders does not answer')
})
