// Shared reads on a real PostgreSQL: each read gets its own rows or its own error, whatever happens to the reads beside it,
// and none waits for a slow one.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createEmptyDatabase } from '#testing/database'
import { connect, type Database } from './connect.ts'

let db: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await createEmptyDatabase()
  drop = () => database.drop()
  const storage = { schema: 'public', entities: [], migrations: [] }
  const options = {
    url: database.url,
    role: null,
    connectionsMax: 3,
    statementTimeoutMs: 5_000,
    onError: () => undefined,
  }
  db = await connect(storage, options)
})
afterAll(async () => {
  await db.close()
  await drop()
})

const echo = async (value: number) => {
  const [row] = await db.reads.rows<{ value: number }>('select $1::int as value', [value])
  return row?.value
}
const pidsOf = async (text = 'select pg_backend_pid() as pid') => {
  const found = await Promise.all(Array.from({ length: 40 }, () => db.reads.rows<{ pid: number }>(text)))
  return [...new Set(found.map(([row]) => row?.pid))]
}

test('a thousand reads at once over two connections get their own rows', async () => {
  const values = Array.from({ length: 1_000 }, (_, value) => value)
  expect(await Promise.all(values.map(echo))).toEqual(values)
})

test('forty reads at once share two connections', async () => {
  await pidsOf() // Both are open from here on.
  expect(await pidsOf()).toHaveLength(2)
})

test('documents of any size arrive whole beside others', async () => {
  const lengths = Array.from({ length: 200 }, (_, n) => n * 331)
  const answers = await Promise.all(
    lengths.map((length) => db.reads.rows<{ documents: string }>("select repeat('é', $1::int) as documents", [length])),
  )
  for (const [n, length] of lengths.entries()) expect(answers[n]).toEqual([{ documents: 'é'.repeat(length) }])
})

test('a statement that fails fails alone', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, n) =>
      n % 3 === 1 ? db.reads.rows('select 1 / $1::int as value', [0]) : db.reads.rows('select $1::int as value', [n]),
    ),
  )
  for (const [n, outcome] of outcomes.entries()) {
    if (n % 3 === 1) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    else expect(outcome).toEqual({ status: 'fulfilled', value: [{ value: n }] })
  }
})

test('a statement that PostgreSQL cannot parse fails each time and leaves the connection usable', async () => {
  for (let time = 0; time < 3; time += 1) {
    const [wrong, right] = await Promise.allSettled([db.reads.rows('select nothing_like_that'), echo(time)])
    expect(wrong).toMatchObject({ status: 'rejected', reason: { code: '42703' } })
    expect(right).toEqual({ status: 'fulfilled', value: time })
  }
})

test('reads that come after slow ones do not wait for them', async () => {
  await pidsOf()
  const ended: string[] = []
  const slow = Array.from({ length: 2 }, () => db.reads.rows('select pg_sleep(1.5)').then(() => ended.push('slow')))
  // Longer than SLOW_MS, after which a connection counts as slow.
  await db.rows('select pg_sleep(0.05)')
  await Promise.all(Array.from({ length: 20 }, (_, n) => echo(n)))
  ended.push('quick')
  await Promise.all(slow)
  expect(ended).toEqual(['quick', 'slow', 'slow'])
})

test('a connection that is cut fails the reads under way on it, and the next read opens another', async () => {
  for (let time = 0; time < 3; time += 1) {
    const pids = await pidsOf()
    const underWay = Promise.allSettled([db.reads.rows('select pg_sleep(10)'), db.reads.rows('select pg_sleep(10)')])
    await db.rows('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids])
    for (const outcome of await underWay) expect(outcome.status).toBe('rejected')
    expect(await echo(time)).toBe(time)
    const anew = await pidsOf()
    expect(anew.filter((pid) => pids.includes(pid))).toEqual([])
  }
})
