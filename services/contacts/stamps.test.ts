// The stamps of contacts: every change of a contact gives it a later one, and a page of them is one index-only scan.
// docs/spec/sync.md#promise, docs/spec/rest-api.md#list-stamps
// A row that is dated ahead stands for two changes in one millisecond and for a clock that was set back.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { packStamps } from '#paging/stamps'
import { duringTests } from '#testing/during-tests'
import { planModes, planOf } from '#testing/plan'
import { makeCaller, openService } from '#testing/product/one-service'
import { confirmOptIn, suppress } from './opt-in/links.ts'
import { canonicalMailbox } from './opt-in/opt-in.ts'
import { insertRequest } from './opt-in/queries.ts'
import { contacts } from './service.ts'

const caller = makeCaller()
const service = duringTests(() => openService(contacts))
const ahead = '2126-01-01T00:00:00.000Z'
const behind = '2126-01-01T00:00:00.001Z'
const client = { address: null, agent: null }
let email = ''

async function make(): Promise<string> {
  email = `ada-${randomUUID()}@example.com`
  return JSON.parse(String(await service.call('contacts.upsert', { email }, { caller }))).data.id
}

async function importContact(tags: string[]): Promise<string> {
  const contact = { name: 'Ada', email: 'ada@example.com', phone: null, tags, source: 'import', created_at: null }
  const address = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }
  const list = [{ key: 'ada', only_create: false, contact: { ...contact, address } }]
  const answer = await service.call('contacts.import', { source: 'test', contacts: list }, { caller })
  return (answer as { results: { id: string }[] }).results[0]?.id ?? ''
}

async function sendLink(id: string): Promise<Buffer> {
  const token_digest = Buffer.from(randomUUID().replaceAll('-', '').repeat(2), 'hex')
  const now = new Date()
  await insertRequest(service.db, caller.shopId, {
    id: randomUUID(),
    contact_id: id,
    mailbox: canonicalMailbox(email),
    email,
    shop_name: 'Bloom',
    source: 'api',
    token_digest,
    created_at: now,
    expires_at: new Date(now.getTime() + 60_000),
  })
  return token_digest
}

const changes: [name: string, make: () => Promise<string>, change: (id: string) => Promise<unknown>][] = [
  ['a save over the API', make, () => service.call('contacts.upsert', { email, tags: ['vip'] }, { caller })],
  ['a tag', make, (id) => service.call('contacts.tag', { id, add: ['vip'] }, { caller })],
  [
    'a save of the back office',
    make,
    () => service.call('contacts.save', { contact: { email, name: 'A. L.' } }, { caller }),
  ],
  ['an import of its changed row', () => importContact([]), () => importContact(['vip'])],
  ['a consent', make, async (id) => confirmOptIn(service.db, await sendLink(id), client, new Date())],
  [
    'a consent that is withdrawn',
    async () => {
      const id = await make()
      await confirmOptIn(service.db, await sendLink(id), client, new Date())
      return id
    },
    async (id) => suppress(service.db, await sendLink(id), client, new Date()),
  ],
]

test.each(changes)(
  '%s gives a contact a later stamp, also where that is ahead of the clock',
  async (_name, begin, change) => {
    const id = await begin()
    await service.db.rows('update contacts set updated_at = $2 where id = $1', [id, ahead])
    await change(id)
    const { updatedAt } = JSON.parse(String(await service.call('contacts.get', { id }, { caller }))).data
    const [row] = await service.db.rows<{ updated_at: Date }>('select updated_at from contacts where id = $1', [id])
    expect([updatedAt, row?.updated_at.toISOString()]).toEqual([behind, behind])
  },
)

describe.each(planModes)('with %s', (mode) => {
  test.each([false, true])(
    'a page of stamps is one index-only scan of the primary key, behind a cursor: %s',
    async (isBehind) => {
      const shopId = randomUUID()
      await service.db.rows(
        `insert into contacts select copied.* from contacts c cross join generate_series(1, 5000) n, jsonb_populate_record(c,
         jsonb_build_object('id', gen_random_uuid(), 'shop_id', $2::text, 'email_key', n::text)) copied where c.id = $1`,
        [await make(), shopId],
      )
      await service.db.rows('vacuum analyze contacts')
      const range = {
        first: 'a7000000-0000-0000-0000-000000000000',
        last: 'a7ffffff-ffff-ffff-ffff-ffffffffffff',
        isBehind,
      }
      const plan = await planOf(service.db, mode, (sql) => packStamps(sql, 'contacts', shopId, range, 1_000))
      expect(plan).toMatch(/Index Only Scan using contacts_pkey on contacts/)
      expect(plan).not.toMatch(/Seq Scan|Sort|Bitmap|Index Scan/)
    },
  )
})
