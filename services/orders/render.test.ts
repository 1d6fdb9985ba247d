// Rendering again brings every stored document to the present shape, and leaves those that have it.
import { expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { inBatches } from '#testing/in-batches'
import { makeCaller, openService } from '#testing/product/one-service'
import { renderAll } from './render.ts'
import { orders } from './service.ts'

const service = duringTests(() => openService(orders))

test('stale documents of every shop are rendered again, in more than one batch, and nothing else changes', async () => {
  const items = [
    { title: 'Mug', kind: 'physical', unitPrice: { cents: 750 }, quantity: 2 },
    { title: 'Tea', kind: 'physical', unitPrice: { cents: 1 }, quantity: 1 },
  ]
  const order = { paymentMethod: 'cod' as const, items }
  for (const caller of [makeCaller(), makeCaller()]) {
    await inBatches(Array.from({ length: 210 }), () => service.call('orders.place', { order }, { caller }))
  }
  const snapshot = () => service.db.rows('select id, document, updated_at from orders order by id')
  const before = await snapshot()
  expect(await renderAll(service.db)).toBe(0)
  await service.db.rows(
    `update orders set document = '{"old":true}' where id <> (select id from orders order by id limit 1)`,
  )
  expect(await renderAll(service.db)).toBe(419)
  expect(await snapshot()).toEqual(before)
})
