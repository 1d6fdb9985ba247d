// Rendering again brings every stored document to the present shape, and leaves those that have it.
import { expect, test } from '@jest/globals'
import type { Subscription } from '#contracts/objects/subscription'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { renderAll } from './render.ts'
import { subscriptions } from './service.ts'

const service = duringTests(() => openService(subscriptions))

test('stale documents of every shop are rendered again, in more than one batch', async () => {
  const callers = [makeCaller(), makeCaller()]
  for (const caller of callers) {
    await service.db.rows(
      `insert into subscriptions (id, shop_id, status, product_id, client_id, price_cents, currency, interval,
         billing_mode, anchor_at, periods, current_period_end, cancel_at_period_end, started_at, event_seq, document,
         created_at, updated_at)
       select gen_random_uuid(), $1, 'active', gen_random_uuid(), gen_random_uuid(), 900, 'GBP', 'month', 'processor',
         now(), 1, now(), false, now(), 1, '{"old":true}', now(), now() from generate_series(1, 700)`,
      [caller.shopId],
    )
  }
  expect(await renderAll(service.db)).toBe(1_400)
  expect(await renderAll(service.db)).toBe(0)
  const page = (await service.call('subscriptions.list', { limit: 100 }, { caller: callers[0] })) as Buffer
  const listed = JSON.parse(page.toString()).data as Subscription[]
  expect(listed).toHaveLength(100)
  expect(listed.every(({ object, price }) => object === 'subscription' && price.amount === '9.00')).toBe(true)
})
