// Imports find contacts and references by index, however many the shop has. docs/spec/data-model.md#invariants
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { listReferences, lockReference } from '#postgres/import/external-reference'
import { databaseDuringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { countReferences, findAllPeople, lockContacts, readPeople } from '../save/queries.ts'
import { contacts } from '../service.ts'

const shopId = randomUUID()
const db = databaseDuringTests(contacts.storage)

beforeAll(async () => {
  for (const [shop, count] of [
    [shopId, 20_000],
    [randomUUID(), 5_000],
  ]) {
    await db.rows(
      `with made as (
         insert into contacts (id, shop_id, email, email_key, phone, tags, source, document, created_at, updated_at)
         select gen_random_uuid(), $1, 'c' || n || '@example.com', 'c' || n || '@example.com', '+4420' || n, '{}', 'import',
           repeat('x', 500), now(), now()
         from generate_series(1, $2::int) as n returning id, email)
       insert into external_references (shop_id, source, kind, key, object_id, digest)
       select $1, 'shopify-customers', 'contact', email, id, '\\x00' from made`,
      [shop, count],
    )
  }
  for (const table of ['contacts', 'external_references']) await db.rows(`analyze ${table}`)
})

describe.each(planModes)('with %s', (mode) => {
  const emails = Array.from({ length: 100 }, (_, index) => `c${index * 7}@example.com`)
  const phones = Array.from({ length: 100 }, (_, index) => `+4420${index * 11}`)
  const name = { source: 'shopify-customers', kind: 'contact' }

  test('a hundred buyers are found by email and by phone', async () => {
    const plan = await planOf(db, mode, (sql) => findAllPeople(sql, shopId, emails, phones))
    expect(plan).toContain('contacts_email')
    expect(plan).toContain('contacts_phone')
    expect(plan).not.toContain('Seq Scan')
  })

  test('one person is locked by email, phone and id', async () => {
    const plan = await planOf(db, mode, (db) =>
      lockContacts(db, shopId, 'c7@example.com', '+44207', '80000000-0000-4000-8000-000000000000'),
    )
    expect(plan).toMatch(/contacts_email/)
    expect(plan).toMatch(/contacts_phone/)
    expect(plan).not.toContain('Seq Scan')
  })

  test('one person is read by email and phone', async () => {
    const plan = await planOf(db, mode, (db) => readPeople(db, shopId, 'c7@example.com', '+44207'))
    expect(plan).toMatch(/Index Scan using contacts_email on contacts/)
    expect(plan).toMatch(/Index Scan using contacts_phone on contacts/)
    expect(plan).not.toMatch(/Seq Scan|Bitmap/)
  })

  test('keys, and the keys of one contact, are found by their indexes', async () => {
    const many = await planOf(db, mode, (sql) => listReferences(sql, shopId, { ...name, keys: emails }))
    const one = await planOf(db, mode, (sql) => lockReference(sql, shopId, { ...name, key: 'c7@example.com' }))
    const count = await planOf(db, mode, (db) => countReferences(db, shopId, '80000000-0000-4000-8000-000000000000'))
    expect(many).toContain('external_references_pkey')
    expect(one).toContain('external_references_pkey')
    expect(count).toContain('external_references_object')
    expect([many, one, count].join('\n')).not.toContain('Seq Scan')
  })
})
