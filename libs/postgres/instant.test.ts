// Proves that instants of the database arrive as the library for PostgreSQL would read them, whatever they look like.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createEmptyDatabase, type TestDatabase } from '#testing/database'
import { connect, type Database } from './connect.ts'

let database: TestDatabase
let db: Database

beforeAll(async () => {
  database = await createEmptyDatabase()
  const storage = { schema: 'public', entities: [], migrations: [] }
  const onError = () => undefined // A dropped database breaks idle connections; that is the end of the test.
  db = await connect(storage, { url: database.url, role: null, connectionsMax: 1, statementTimeoutMs: 0, onError })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const read = async (text: string, zone = 'UTC') => {
  await db.rows(`set timezone to '${zone}'`)
  const [row] = await db.rows<{ at: unknown }>('select $1::timestamptz as at', [text])
  return row?.at
}

test.each([
  ['2026-08-12 09:30:00Z', '2026-08-12T09:30:00.000Z'],
  ['2026-08-12 09:30:00.1Z', '2026-08-12T09:30:00.100Z'],
  ['2026-08-12 09:30:00.123Z', '2026-08-12T09:30:00.123Z'],
  ['2026-12-31 23:59:59.999999Z', '2026-12-31T23:59:59.999Z'],
  ['0001-01-01 00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31 23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['10000-01-01 00:00:00Z', '+010000-01-01T00:00:00.000Z'],
])('%s is %s', async (text, instant) => {
  expect(await read(text)).toEqual(new Date(instant))
})

test('an instant before our era, and one in another zone', async () => {
  expect(await read('0044-03-15 12:00:00Z BC')).toEqual(new Date('-000043-03-15T12:00:00.000Z'))
  expect(await read('2026-08-12 09:30:00Z', 'Asia/Kolkata')).toEqual(new Date('2026-08-12T09:30:00.000Z'))
})

test('what has no end stays so', async () => {
  expect(await read('infinity')).toBe(Number.POSITIVE_INFINITY)
  expect(await read('-infinity')).toBe(Number.NEGATIVE_INFINITY)
})
