// The list of memberships: order, filter, pages, and every combination is an index scan in the order of the list.
// docs/spec/rest-api.md#paging
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ActionInput } from '#contracts/actions'
import { subscriptionStatuses } from '#contracts/objects/subscription'
import { pageIn, pagesOf, walkPages } from '#testing/lists'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { planModes, planOf } from '#testing/plan'
import { listHistory } from './moves/queries.ts'
import { listSubscriptions } from './queries.ts'
import { subscriptions } from './service.ts'

const caller = makeCaller()
const rowsOfShop = 12_000
const service = duringTests(() => openService(subscriptions))

beforeAll(async () => {
  await fill(caller.shopId, rowsOfShop)
  for (let shop = 0; shop < 5; shop += 1) await fill(makeCaller().shopId, 2_500)
  await service.db.rows('analyze subscriptions')
})

// A hundred share each instant; every tenth is canceled, the others are active.
async function fill(shopId: string, count: number): Promise<void> {
  await service.db.rows(
    `insert into subscriptions (id, shop_id, status, product_id, client_id, price_cents, currency, interval, billing_mode,
       anchor_at, periods, current_period_end, cancel_at_period_end, started_at, event_seq, document, created_at, updated_at)
     select gen_random_uuid(), $1, case when n % 10 = 0 then 'canceled' else 'active' end, gen_random_uuid(),
       gen_random_uuid(), 1, 'GBP', 'month', 'processor', t, 1, t, false, t, 1, '', t, t
     from (select n, timestamptz '2026-01-01' + make_interval(hours => n / 100) as t from generate_series(1, $2::int) n) x`,
    [shopId, count],
  )
  await service.db.rows(
    `update subscriptions set document = jsonb_build_object('id', id, 'status', status, 'text', repeat('x', 500))
     where shop_id = $1`,
    [shopId],
  )
}

async function list(params: ActionInput<'subscriptions.list'>, who = caller) {
  return pageIn<{ id: string }>(await service.call('subscriptions.list', params, { caller: who }))
}

describe('the list', () => {
  test.each<[ActionInput<'subscriptions.list'>, number]>([
    [{}, rowsOfShop],
    [{ status: 'canceled' }, rowsOfShop / 10],
    [{ status: 'unpaid' }, 0],
    [{ status: 'canceled,active' }, rowsOfShop],
  ])('%j: walking the pages gives each once, newest first', async (filter, count) => {
    const ids = (await walkPages((cursor) => list({ ...filter, limit: 100, cursor }))).map(({ id }) => id)
    const expected = await service.db.rows<{ id: string }>(
      `select id from subscriptions where shop_id = $1 and ($2::text is null or status = any(string_to_array($2, ',')))
       order by created_at desc, id desc`,
      [caller.shopId, filter.status ?? null],
    )
    expect(ids).toEqual(expected.map(({ id }) => id))
    expect(ids).toHaveLength(count)
  })

  test('a cursor serves only the list that it was issued for', async () => {
    const { next_cursor } = await list({})
    const other = list({ status: 'active', cursor: next_cursor ?? '' })
    await expect(other).rejects.toMatchObject({ type: 'invalid_request' })
    await expect(list({ cursor: next_cursor ?? '' }, makeCaller())).rejects.toMatchObject({ type: 'invalid_request' })
  })

  test('an unknown status is refused', async () => {
    await expect(list({ status: 'cancelled' as never })).rejects.toMatchObject({
      type: 'invalid_request',
      message: `status must be one of ${subscriptionStatuses.join(', ')}, not "cancelled".`,
    })
  })
})

describe.each(planModes)('plans, %s', (mode) => {
  const pages = pagesOf('subscriptions', caller.shopId, new Date('2026-01-04T00:00:00Z'))

  test.each([
    ['no status', undefined, 'subscriptions_newest'],
    ['a status', ['active'], 'subscriptions_status'],
    ['a rare status', ['canceled'], 'subscriptions_status'],
    ['a status that none has', ['unpaid'], 'subscriptions_status'],
  ])('%s', async (_what, status, index) => {
    for (const want of pages) {
      const plan = await planOf(service.db, mode, (sql) => listSubscriptions(sql, caller.shopId, status, want))
      expect(plan).toContain(`using ${index}`)
      expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
    }
  })

  test('the history of one', async () => {
    const id = '80000000-0000-4000-8000-000000000000'
    const plan = await planOf(service.db, mode, (sql) => listHistory(sql, caller.shopId, id, 100, 26))
    expect(plan).toContain('using subscription_history_pkey')
    expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap/)
  })
})
