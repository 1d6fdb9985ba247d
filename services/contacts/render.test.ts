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

test('two shops may have contacts with one id: each keeps its own tags and document', async () => {
  const [one, other] = [makeCaller(), makeCaller()]
  const contact = { email: 'ada@example.com', name: 'Ada', tags: ['a'] }
  await service.call('contacts.save', { contact }, { caller: one })
  const [saved] = await service.db.rows<{ id: string }>('select id from contacts where shop_id = $1', [one.shopId])
  const id = saved?.id ?? ''
  for (const [table, key] of [
    ['contacts', 'id'],
    ['contact_tags', 'contact_id'],
  ]) {
    await service.db.rows(
      `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('shop_id', $3::text))).* from ${table} t
       where shop_id = $1 and ${key} = $2`,
      [one.shopId, id, other.shopId],
    )
  }
  await service.db.rows("update contacts set name = 'Grace' where shop_id = $1", [other.shopId])
  expect(await renderAll(service.db)).toBe(1)
  await service.call('contacts.tag', { id, remove: ['a'] }, { caller: other })
  const read = async (caller: typeof one) => {
    const { data } = JSON.parse(String(await service.call('contacts.get', { id }, { caller })))
    return [data.name, data.tags]
  }
  expect(await read(one)).toEqual(['Ada', ['a']])
  expect(await read(other)).toEqual(['Grace', []])
})
