// Pages that are too large for one response, put together from their parts (docs/spec/internals.md#page-parts).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { LargePage, wholePages } from '#calls/large-page'
import type { ActionInput } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import type { WholePage } from '#contracts/page-result'
import type { Call } from '#runtime/service'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { orders } from './service.ts'

type Page = { data: { id: string }[]; has_more: boolean; next_cursor: string | null }
const caller = makeCaller()
const ORDERS = 40
const service = duringTests(() => openService(orders))
let ids: string[]

beforeAll(async () => {
  // Sizes from nothing to more than a part; four orders share each instant.
  const rows = await service.db.rows<{ id: string }>(
    `insert into orders (id, shop_id, status, payment_status, payment_method, currency, subtotal_cents, discount_cents,
       delivery_fee_cents, tax_cents, total_cents, refunded_cents, item_count, has_booking, document, created_at, updated_at)
     select id, $1, 'new', 'unpaid', 'cod', 'GBP', 1, 0, 0, 0, 1, 0, 1, false,
       json_build_object('id', id, 'text', repeat('ü', case when n = 30 then 300000 else (n % 5) * 25000 end)), t, t
     from (select n, gen_random_uuid() as id, timestamptz '2026-01-01' + make_interval(hours => n / 4) as t
       from generate_series(1, $2::int) n) x
     order by t desc, id desc returning id`,
    [caller.shopId, ORDERS],
  )
  ids = rows.map(({ id }) => id)
})

/** The body, and how many bytes each part has; `between` runs before each part. */
async function pageOf(params: ActionInput<'orders.list'>, between: (part: number) => Promise<unknown> = async () => 0) {
  let part = 0
  const call: Call = async (name, given, meta: CallMeta = {}) => {
    if (meta.is_part === true) await between((part += 1))
    return service.call(name, given, { ...meta, is_read: true })
  }
  const response = await wholePages(call)('orders.list', params, { caller })
  const pieces: Buffer[] = []
  if (!(response instanceof LargePage)) pieces.push((response as WholePage).body)
  else for await (const piece of response.parts()) pieces.push(piece)
  return { page: JSON.parse(Buffer.concat(pieces).toString()) as Page, sizes: pieces.map(({ length }) => length) }
}

describe('a page that is read in parts', () => {
  test.each<[string, ActionInput<'orders.list'>]>([
    ['all orders', { limit: 100 }],
    ['exactly all orders', { limit: ORDERS }],
    ['the usual page', {}],
    ['seven orders', { limit: 7 }],
    ['orders changed since', { limit: 100, updated_after: '2025-01-01T00:00:00Z' }],
  ])('of %s has every order once, newest first, and leads to the next page', async (_name, params) => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { page } = await pageOf(cursor === null ? params : { ...params, cursor })
      expect(page.data.length).toBe(Math.min(params.limit ?? limits.pageDefault, ORDERS - seen.length))
      expect(page.has_more).toBe(page.next_cursor !== null)
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(ids)
  })

  test('is never held whole: a part has at most half a megabyte, or is one order', async () => {
    const { sizes } = await pageOf({ limit: 100 })
    const large = sizes.filter((size) => size > limits.busBytesMax)
    expect(large).toEqual([expect.any(Number)]) // The order of 600 KB.
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(4_000_000)
  })

  test('ends well where its last orders are gone before they are read', async () => {
    const { page } = await pageOf({ limit: 100 }, async (part) => {
      if (part !== 2) return
      await service.db.rows('delete from orders where shop_id = $1 and created_at < $2', [
        caller.shopId,
        '2026-01-01T05:00Z',
      ])
    })
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, 21))
    expect(page).toMatchObject({ has_more: false, next_cursor: null })
  })
})
