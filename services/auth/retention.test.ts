// What auth deletes when it is old enough. docs/spec/data-model.md#retention
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { databaseDuringTests } from '#testing/during-tests'
import { cleanUp } from './cleanup.ts'
import { auth } from './service.ts'

const db = databaseDuringTests(auth.storage)
const now = new Date()
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)

async function makeShop(): Promise<string> {
  const id = randomUUID()
  await db.rows(
    `insert into shops (id, handle, name, currency, time_zone, plan, document, record, created_at, updated_at)
     values ($1, $2, 'A shop', 'GBP', 'UTC', 'pro', '{}', '{}', $3, $3)`,
    [id, `shop-${id.slice(0, 8)}`, ago(100)],
  )
  return id
}

test('imports go with their problems 90 days after their end; young ones and those that wait stay', async () => {
  const shopId = await makeShop()
  const imports: [string, string, number, number | null][] = [
    ['old', 'completed', 91, null],
    ['young', 'failed', 89, null],
    ['old, in the background', 'cancelled', 91, 3],
    ['abandoned by its caller', 'running', 91, null],
    ['waiting for a worker', 'queued', 91, 3],
  ]
  const ids = new Map<string, string>()
  for (const [name, status, days, chunks] of imports) {
    const id = randomUUID()
    ids.set(id, name)
    const isOver = status !== 'queued' && status !== 'running'
    await db.rows(
      `insert into imports (id, shop_id, dry_run, status, chunks, created_at, updated_at, finished_at)
       values ($1, $2, false, $3, $4, $5, $5, $6)`,
      [id, shopId, status, chunks, ago(days), isOver ? ago(days) : null],
    )
    await db.rows(`insert into import_problems (import_id, fence, line, number, code) values ($1, 0, 1, 1, 'money')`, [
      id,
    ])
  }
  await cleanUp(db, now)
  const left = async (column: string, table: string) => {
    const rows = await db.rows<{ id: string }>(`select ${column} as id from ${table}`)
    return rows.map(({ id }) => ids.get(id)).toSorted()
  }
  expect(await left('id', 'imports')).toEqual(['waiting for a worker', 'young'])
  expect(await left('import_id', 'import_problems')).toEqual(['waiting for a worker', 'young'])
})

test('restores go 90 days after they were completed; one that runs stays, however old', async () => {
  const restore = (handle: string, status: string, finishedAt: Date | null) =>
    db.rows(
      `insert into restores (id, shop_id, handle, archive, status, new_ids, events, counts, created_at, updated_at, finished_at)
       values ($1, $2, $3, 'a', $4, false, false, '{}', $5, $5, $6)`,
      [randomUUID(), randomUUID(), handle, status, ago(100), finishedAt],
    )
  await restore('old', 'completed', ago(91))
  await restore('young', 'completed', ago(89))
  await restore('running', 'running', null)
  await cleanUp(db, now)
  const rows = await db.rows<{ handle: string }>('select handle from restores order by handle')
  expect(rows.map(({ handle }) => handle)).toEqual(['running', 'young'])
})

test('ids of usage reports go after an hour, and codes of sign-in links after 15 minutes', async () => {
  const operatorId = randomUUID()
  await db.rows(
    `insert into operators (id, name, email, role, created_at) values ($1, 'Grace', 'grace@example.com', 'owner', $2)`,
    [operatorId, ago(100)],
  )
  for (const minutes of [61, 59]) {
    await db.rows('insert into usage_batches (batch_id, created_at) values ($1, $2)', [
      ...[randomUUID(), ago(minutes / 1_440)],
    ])
  }
  for (const [digest, minutes] of [
    ['old', 16],
    ['young', 14],
  ] as const) {
    await db.rows('insert into sign_in_codes (digest, operator_id, created_at) values ($1, $2, $3)', [
      ...[Buffer.from(digest.padEnd(32)), operatorId, ago(minutes / 1_440)],
    ])
  }
  await cleanUp(db, now)
  expect(await db.rows('select 1 from usage_batches')).toHaveLength(1)
  const codes = await db.rows<{ digest: Buffer }>('select digest from sign_in_codes')
  expect(codes.map(({ digest }) => digest.toString().trim())).toEqual(['young'])
})

test('a file of an import goes with its chunks 10 minutes after it has stopped arriving, unless its import waits', async () => {
  const shopId = await makeShop()
  const file = async (isQueued: boolean, minutes: number) => {
    const id = randomUUID()
    await db.rows('insert into import_files (id, shop_id, is_queued, touched_at) values ($1, $2, $3, $4)', [
      ...[id, shopId, isQueued, ago(minutes / 1_440)],
    ])
    await db.rows('insert into import_chunks (file_id, number, bytes) values ($1, 0, $2)', [id, Buffer.from('a')])
    return id
  }
  await file(false, 11)
  const kept = [await file(false, 9), await file(true, 11)]
  for (const _round of ['chunks', 'files']) await cleanUp(db, now)
  for (const [column, table] of [
    ['id', 'import_files'],
    ['file_id', 'import_chunks'],
  ]) {
    const rows = await db.rows<{ id: string }>(`select ${column} as id from ${table}`)
    expect(rows.map(({ id }) => id).toSorted()).toEqual(kept.toSorted())
  }
})

test('clients, requests and tokens of agents go when they are over; approved clients and live tokens stay', async () => {
  const [shopId, grantId] = [await makeShop(), randomUUID()]
  for (const [id, createdAt, approvedAt] of [
    ['old', ago(2), null],
    ['approved', ago(2), ago(1)],
    ['young', ago(0), null],
  ] as const)
    await db.rows('insert into agent_clients values ($1, $2, $3, $4)', [id, '{}', createdAt, approvedAt])
  await db.rows(
    `insert into agent_grants (id, shop_id, operator_id, client_id, client_name, registration, redirect_host, access, created_at,
       expires_at, collected_at)
     values ($1, $2, $3, 'approved', 'An agent', 'registered', 'agent.example', 'read', $4, $5, $4)`,
    [grantId, shopId, randomUUID(), ago(2), ago(-1)],
  )
  for (const [name, endsAt] of [
    ['old', ago(1)],
    ['young', ago(-1)],
  ] as const) {
    await db.rows(
      `insert into agent_authorizations (id, client_id, client_name, registration, redirect_uri, access, payload, created_at, expires_at)
       values ($1, 'approved', 'An agent', 'registered', 'https://agent.example/cb', 'read', '{}', $2, $3)`,
      [name, ago(2), endsAt],
    )
    await db.rows(
      `insert into agent_tokens (digest, grant_id, kind, payload, created_at, expires_at) values ($1, $2, 'access', $3, $4, $5)`,
      [Buffer.alloc(32, name), grantId, name, ago(2), endsAt],
    )
  }
  await cleanUp(db, now)
  const left = async (text: string) => (await db.rows<{ name: string }>(text)).map(({ name }) => name)
  expect(await left('select id as name from agent_clients order by id')).toEqual(['approved', 'young'])
  expect(await left('select id as name from agent_authorizations')).toEqual(['young'])
  expect(await left('select payload as name from agent_tokens')).toEqual(['young'])
})
