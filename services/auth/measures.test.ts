// What the metrics of auth show of stuck imports and missing partitions. docs/spec/running.md#metrics
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { openLog } from '#telemetry/log'
import { openMetrics } from '#telemetry/metrics'
import { duringTests } from '#testing/during-tests'
import { openService } from '#testing/product/one-service'
import { insertImport } from './imports/queries.ts'
import { startMeasures } from './measures.ts'
import { auth } from './service.ts'

const service = duringTests(() => openService(auth))

async function measured(): Promise<string> {
  const metrics = openMetrics()
  const measures = await startMeasures({ log: openLog('silent', 'test'), metrics }, service.db)
  await measures.stop()
  return metrics.registry.metrics()
}

async function makeShop(): Promise<string> {
  const shop = { handle: `shop-${randomUUID().slice(0, 8)}`, name: 'A shop', currency: 'GBP', timeZone: 'UTC' }
  const made = JSON.parse(String(await service.call('shops.create', { shop }))) as { data: { id: string } }
  return made.data.id
}

async function queuedMinutesAgo(minutes: number, shopId: string): Promise<string> {
  const id = randomUUID()
  const created_at = new Date(Date.now() - minutes * 60_000)
  const file = { chunks: 1, options: '{}', operator: '{}', request_id: null }
  await insertImport(service.db, shopId, { id, format: null, bytes: 1, dry_run: false, created_at, file })
  return id
}

test('an import is stalled when it has waited for a minute and none of its shop runs', async () => {
  const [shop, other] = [await makeShop(), await makeShop()]
  await queuedMinutesAgo(0.5, shop)
  expect(await measured()).toContain('storefront_import_stalled 0')
  const running = await queuedMinutesAgo(5, other)
  await queuedMinutesAgo(5, other)
  expect(await measured()).toContain('storefront_import_stalled 1')
  const leased = (lease: string) =>
    service.db.write(`update imports set status = 'running', lease_until = now() + $2::interval where id = $1`, [
      running,
      lease,
    ])
  await leased('10 s')
  expect(await measured()).toContain('storefront_import_stalled 0')
  await leased('-2 min')
  expect(await measured()).toContain('storefront_import_stalled 1')
})

test('partitions of this month and the next, and of today and tomorrow, are missed before they are needed', async () => {
  for (const table of ['requests', 'request_seconds', 'audit_entries'])
    expect(await measured()).toContain(`storefront_partitions_missing{schema="auth",table="${table}"} 0`)
  await service.db.write(
    `do $$ begin execute format('drop table audit_entries_%s',
       to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYYMM')); end $$`,
  )
  expect(await measured()).toContain('storefront_partitions_missing{schema="auth",table="audit_entries"} 1')
})
