// Rendering every stored shop again. docs/spec/data-model.md#documents
import { expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { openService } from '#testing/product/one-service'
import { renderAll } from './render.ts'
import { auth } from './service.ts'

const service = duringTests(() => openService(auth))

test('stale documents are rendered again, more than one batch of them; updatedAt stays', async () => {
  const shop = { handle: 'tea', name: 'Tea', currency: 'GBP', timeZone: 'UTC' }
  const made = JSON.parse(String(await service.call('shops.create', { shop }))).data
  await service.db.rows(
    `insert into shops (id, handle, name, currency, time_zone, plan, document, record, created_at, updated_at)
     select gen_random_uuid(), 'shop-' || n, 'Shop ' || n, 'GBP', 'UTC', 'pro', '{"old":true}', '{}', now(), now()
     from generate_series(1, 700) n`,
  )
  await service.db.rows("update shops set record = '{}' where handle = 'tea'")
  expect(await renderAll(service.db)).toBe(701)
  expect(await renderAll(service.db)).toBe(0)
  expect(JSON.parse(String(await service.call('shops.get', { shop: 'tea' }))).data).toEqual(made)
})
