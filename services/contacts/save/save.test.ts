// The upsert of the back office and the matching of buyers, also under concurrency. docs/spec/back-office.md#contacts,
// docs/spec/objects.md#contact
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Caller } from '#contracts/caller'
import type { Contact } from '#contracts/objects/contact'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import type { Sql } from '#postgres/connect'
import { until } from '#testing/until'
import { contacts } from '../service.ts'
import { fromRequest } from './contact-fields.ts'
import { upsertContact } from './save.ts'

type Body = Partial<Contact> | { [field: string]: unknown }

const service = duringTests(() => openService(contacts))

async function save(caller: Caller, contact: Body, idempotency?: { key: string; fingerprint: string }) {
  const meta = idempotency === undefined ? { caller } : { caller, idempotency }
  const answer = (await service.call('contacts.save', { contact }, meta)) as { created: boolean; body: Buffer }
  return { created: answer.created, contact: JSON.parse(answer.body.toString()).data as Contact }
}

const refusal = (type: string, message: string) => expect.objectContaining({ type, message })

describe('a new contact', () => {
  test('has the fields that only the back office may send', async () => {
    const { contact } = await save(makeCaller(), {
      email: 'ada@example.com',
      phone: '020 7946 0958',
      name: 'Ada',
      tags: ['VIP', ' vip ', 'Big'],
      source: 'checkout',
      marketingConsentAt: '2026-01-02T03:04:05Z',
      address: { line1: '1 Main Street', city: 'London', postalCode: 'N1', country: 'GB', region: '  ' },
      privateNote: 'pays late',
      createdAt: '2025-12-01T00:00:00+01:00',
    })
    expect(contact).toMatchObject({
      name: 'Ada',
      phone: '+442079460958',
      tags: ['vip', 'big'],
      source: 'checkout',
      marketingConsentAt: '2026-01-02T03:04:05.000Z',
      address: { line1: '1 Main Street', line2: null, city: 'London', region: null, postalCode: 'N1', country: 'GB' },
      createdAt: '2025-11-30T23:00:00.000Z',
    })
    expect(contact).not.toHaveProperty('privateNote')
  })

  test('may have any word as its source', async () => {
    const { contact } = await save(makeCaller(), { email: 'ada@example.com', source: 'trade_fair' })
    expect(contact).toMatchObject({ source: 'trade_fair' })
  })

  test.each<[string, Body, string]>([
    ['a person without email and phone', {}, 'email is required, or phone.'],
    ['a blank email', { email: ' ' }, 'email is required, or phone.'],
    ['no email', { email: 'ada' }, 'email must be an email address.'],
    ['an impossible phone', { phone: '12' }, expect.stringMatching(/^phone must be a phone number/) as never],
    ['a blank tag', { email: 'a@example.com', tags: [' '] }, 'A tag must hold at least one visible character.'],
    [
      'a creation in the future',
      { email: 'a@example.com', createdAt: '2999-01-01T00:00:00Z' },
      'createdAt must not be in the future.',
    ],
  ])('%s is refused', async (_what, body, message) => {
    await expect(save(makeCaller(), body)).rejects.toEqual(refusal('invalid_request', message))
  })

  test.each<[string, object, RegExp]>([
    ['a field that a contact does not have', { email: 'a@example.com', nick: 'a' }, /^nick is not a field/],
    ['such a field in the address', { email: 'a@example.com', address: { zip: '1' } }, /^address\.zip is not a field/],
    ['a tag that is not text', { email: 'a@example.com', tags: [1] }, /^tags\[0\] must be text/],
    ['a source that is no word', { email: 'a@example.com', source: 'Trade fair' }, /^source must be a lowercase word/],
    [
      'an unknown country',
      { email: 'a@example.com', address: { country: 'XX' } },
      /^address\.country must be a country/,
    ],
    ['U+0000', { email: 'a@example.com', name: 'a\u0000' }, /^name must be text without U\+0000/],
    ['half a surrogate pair', { email: 'a@example.com', privateNote: 'a\ud800' }, /^privateNote must be text without/],
    ['a long name', { email: 'a@example.com', name: 'x'.repeat(256) }, /^name must be at most 255/],
    ['no object', [] as never, /^The body must be an object/],
    ['251 tags', { email: 'a@example.com', tags: Array.from({ length: 251 }, (_, i) => `t${i}`) }, /^tags must/],
  ])('%s is refused, naming the field', async (_what, body, message) => {
    await expect(save(makeCaller(), body)).rejects.toEqual(
      expect.objectContaining({ type: 'invalid_request', message: expect.stringMatching(message) }),
    )
  })
})

describe('an existing contact', () => {
  test('is found by email in any case, then by phone', async () => {
    const caller = makeCaller()
    const first = await save(caller, { email: 'ada@example.com', phone: '+442079460958' })
    const byEmail = await save(caller, { email: 'ADA@EXAMPLE.COM' })
    const byPhone = await save(caller, { phone: '020 7946 0958' })
    expect([byEmail.contact, byPhone.contact]).toEqual([first.contact, first.contact])
  })

  test('of another shop is another person', async () => {
    const first = await save(makeCaller(), { email: 'ada@example.com' })
    const other = await save(makeCaller(), { email: 'ada@example.com' })
    expect(other.created).toBe(true)
    expect(other.contact.id).not.toBe(first.contact.id)
  })

  test('merges tags, fills a gap of the name only, replaces sent address fields', async () => {
    const caller = makeCaller()
    await save(caller, { email: 'ada@example.com', tags: ['b', 'a'], address: { line1: 'Old', city: 'Rome' } })
    const named = await save(caller, { email: 'ada@example.com', name: 'Ada', tags: ['c', 'A'] })
    expect(named.contact).toMatchObject({ name: 'Ada', tags: ['b', 'a', 'c'] })
    const moved = await save(caller, { email: 'ada@example.com', name: 'Eve', address: { line1: 'New', city: null } })
    expect(moved.contact).toMatchObject({ name: 'Ada', address: { line1: 'New', city: null } })
  })

  test('a name that only repeats the email follows a new email', async () => {
    const caller = makeCaller()
    await save(caller, { email: 'old@example.com', phone: '+442079460958' })
    const { contact } = await save(caller, { email: 'new@example.com', phone: '+442079460958' })
    expect(contact).toMatchObject({ name: 'new@example.com', email: 'new@example.com', phone: '+442079460958' })
  })

  test('loses its consent with the address that the consent was for', async () => {
    const caller = makeCaller()
    const phone = '+442079460958'
    await save(caller, { email: 'old@example.com', phone, marketingConsentAt: '2026-01-01T00:00:00Z' })
    const same = await save(caller, { email: 'OLD@example.com', phone })
    expect(same.contact.marketingConsentAt).toBe('2026-01-01T00:00:00.000Z')
    const other = await save(caller, { email: 'new@example.com', phone })
    expect(other.contact.marketingConsentAt).toBeNull()
    const brought = await save(caller, {
      email: 'newer@example.com',
      phone,
      marketingConsentAt: '2026-02-01T00:00:00Z',
    })
    expect(brought.contact.marketingConsentAt).toBe('2026-02-01T00:00:00.000Z')
    const withdrawn = await save(caller, { phone, marketingConsentAt: null })
    expect(withdrawn.contact.marketingConsentAt).toBeNull()
  })

  test('email of one contact and phone of another are a conflict that names both', async () => {
    const caller = makeCaller()
    await save(caller, { email: 'ada@example.com' })
    await save(caller, { phone: '+442079460958' })
    await expect(save(caller, { email: 'ada@example.com', phone: '+442079460958' })).rejects.toEqual(
      refusal('conflict', 'email belongs to one contact of this shop and phone to another; save them one by one.'),
    )
  })

  test('the 251st tag is refused and nothing is written', async () => {
    const caller = makeCaller()
    const tags = Array.from({ length: 250 }, (_, index) => `tag ${index}`)
    const first = await save(caller, { email: 'ada@example.com', tags })
    await expect(save(caller, { email: 'ada@example.com', name: 'Ada', tags: ['one more'] })).rejects.toEqual(
      refusal('invalid_request', 'tags must not be more than 250 on one contact.'),
    )
    expect((await save(caller, { email: 'ada@example.com' })).contact).toEqual(first.contact)
  })

  test('updatedAt moves when something visible changes, not for a private note', async () => {
    const caller = makeCaller()
    const first = await save(caller, { email: 'ada@example.com' })
    const noted = await save(caller, { email: 'ada@example.com', privateNote: 'pays late' })
    expect(noted.contact).toEqual(first.contact)
    const [row] = await service.db.rows<{ private_note: string }>(
      'select private_note from contacts where shop_id = $1',
      [caller.shopId],
    )
    expect(row).toEqual({ private_note: 'pays late' })
    const named = await save(caller, { email: 'ada@example.com', name: 'Ada' })
    expect(named.contact.updatedAt >= first.contact.updatedAt).toBe(true)
    expect(named.contact.createdAt).toBe(first.contact.createdAt)
  })
})

describe('concurrent saves', () => {
  test('50 saves of one person by email, phone or both give one contact and lose no tag', async () => {
    const caller = makeCaller()
    const [email, phone] = ['ada@example.com', '+442079460958']
    await save(caller, { email, phone })
    const identities = [
      { email },
      { phone },
      { email, phone },
      { email: 'ADA@example.com' },
      { phone: '020 7946 0958' },
    ]
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => save(caller, { ...identities[n % 5], tags: [`tag ${n}`] })),
    )
    expect(new Set(answers.map(({ contact }) => contact.id)).size).toBe(1)
    expect((await save(caller, { email })).contact.tags).toHaveLength(50)
  })

  test('50 first saves of one email give one contact with every tag, in row, document and list', async () => {
    const caller = makeCaller()
    const numbers = Array.from({ length: 50 }, (_, index) => index)
    const answers = await Promise.all(
      numbers.map((n) => save(caller, { email: n % 2 === 0 ? 'ada@example.com' : 'ADA@example.com', tags: [`t${n}`] })),
    )
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(answers.map(({ contact }) => contact.id)).size).toBe(1)
    const all = numbers.map((n) => `t${n}`).toSorted()
    const rows = await service.db.rows<{ id: string; tags: string[]; document: string }>(
      'select id, tags, document from contacts where shop_id = $1',
      [caller.shopId],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.tags.toSorted()).toEqual(all)
    expect((JSON.parse(rows[0]?.document ?? '') as Contact).tags.toSorted()).toEqual(all)
    const listed = await service.db.rows<{ tag: string }>('select tag from contact_tags where shop_id = $1', [
      caller.shopId,
    ])
    expect(listed.map(({ tag }) => tag).toSorted()).toEqual(all)
  })

  test('of two first saves at once the second finds the contact of the first, without a failed statement', async () => {
    const { shopId } = makeCaller()
    const fields = fromRequest({ email: 'ada@example.com' }, null).fields
    const saveOnce = (tx: Sql) => upsertContact(tx, shopId, fields, 'api', new Date())
    let second = Promise.resolve<unknown>(null)
    const first = await service.db.transaction(async (tx) => {
      const saved = await saveOnce(tx)
      second = service.db.transaction(saveOnce)
      const waiting = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'
      await until(async () => (await tx.rows(waiting)).length > 0)
      return saved
    })
    expect(await second).toEqual(first)
  })

  test('20 saves under one Idempotency-Key have one answer, which says created', async () => {
    const caller = makeCaller()
    const idempotency = { key: randomUUID(), fingerprint: 'a' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => save(caller, { email: 'ada@example.com', tags: ['x'] }, idempotency)),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]?.created).toBe(true)
    await expect(save(caller, { email: 'eve@example.com' }, { ...idempotency, fingerprint: 'b' })).rejects.toEqual(
      expect.objectContaining({ type: 'conflict' }),
    )
  })
})

describe('matching', () => {
  test('finds by email, then by phone, and answers the phone in its normal form', async () => {
    const caller = makeCaller()
    const ada = (await save(caller, { email: 'ada@example.com' })).contact.id
    const eve = (await save(caller, { phone: '+442079460958' })).contact.id
    const match = (email: string | null, phone: string | null, who = caller) =>
      service.call('contacts.match', { email, phone }, { caller: who })
    expect(await match('ADA@example.com', '020 7946 0958')).toEqual({ contact_id: ada, phone: '+442079460958' })
    expect(await match('nobody@example.com', '020 7946 0958')).toEqual({ contact_id: eve, phone: '+442079460958' })
    expect(await match('no email', '12')).toEqual({ contact_id: null, phone: null })
    expect(await match(null, null)).toEqual({ contact_id: null, phone: null })
    expect(await match('ada@example.com', null, makeCaller())).toEqual({ contact_id: null, phone: null })
  })
})
