// How long requests are kept (docs/spec/request-log.md#request-log).
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { makePartitions } from '#postgres/partitions'
import { makeCaller, openService } from '#testing/product/one-service'
import { cleanUp } from '../cleanup.ts'
import { auth } from '../service.ts'

test('requests are shown for seven days, and the days before are dropped with what they count', async () => {
  const service = await openService(auth)
  const { db } = service
  const shopId = randomUUID()
  const now = new Date()
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  for (const table of ['requests', 'request_seconds'])
    await makePartitions(db, { table, unit: 'day' }, ago(15 * 24), 15)
  for (const hours of [1, 7 * 24 - 1, 7 * 24 + 1, 14 * 24]) {
    await db.rows(
      `insert into requests (shop_id, at, id, key_id, method, status, duration_ms) values ($1, $2, 'a', $1, 'GET', 404, 1)`,
      [shopId, ago(hours)],
    )
    await db.rows('insert into request_seconds (shop_id, second, kept, granted, skipped) values ($1, $2, 1, 1, 5)', [
      ...[shopId, ago(hours)],
    ])
  }
  const body = await service.call('requests.list', {}, { caller: makeCaller({ shopId }) })
  const page = JSON.parse(String(body)) as { data: unknown[]; skipped: number }
  expect([page.data.length, page.skipped]).toEqual([2, 10])
  await cleanUp(db, now)
  for (const table of ['requests', 'request_seconds']) {
    const rows = await db.rows<{ day: string }>(
      `select right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::regclass order by 1`,
      [table],
    )
    const days = rows.map(({ day }) => day)
    expect(days[0]).toBe(
      ago(7 * 24)
        .toISOString()
        .slice(0, 10)
        .replaceAll('-', ''),
    )
    const tomorrow = ago(-24).toISOString().slice(0, 10).replaceAll('-', '')
    expect(days).toContain(tomorrow)
  }
  await service.close()
})
