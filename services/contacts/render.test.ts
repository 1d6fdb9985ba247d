// Rendering every stored contact again. docs/spec/data-model.md#documents
import { expect, test } from '@jest/globals'
import type { Contact } from '#contracts/objects/contact'
import { duringTests } from '#testing/during-tests'
import { pageIn } from '#testing/lists'
import { makeCaller, openService } from '#testing/product/one-service'
import { renderAll } from './render.ts'
import { contacts } from './service.ts'

const service = duringTests(() => openService(contacts))

test('stale documents of every shop are rendered again, more than one batch of them', async () => {
  const callers = [makeCaller(), makeCaller()]
  for (const caller of callers) {
    await service.call('contacts.save', { contact: { email: 'ada@example.com', tags: ['a'] } }, { caller })
    await service.db.rows(
      `insert into contacts (id, shop_id, name, tags, source, document, created_at, updated_at)
       select gen_random_uuid(), $1, 'n' || n, '{}', 'import', '{"old":true}', now(), now() from generate_series(1, 700) n`,
      [caller.shopId],
    )
  }
  expect(await renderAll(service.db)).toBe(1_400)
  expect(await renderAll(service.db)).toBe(0)
  const listed = pageIn<Contact>(await service.call('contacts.list', { limit: 100 }, { caller: callers[0] })).data
  expect(listed).toHaveLength(100)
  expect(listed.every(({ object, name }) => object === 'contact' && name !== null)).toBe(true)
})
