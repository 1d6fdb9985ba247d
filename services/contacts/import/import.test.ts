// The import of contacts. docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#dry-run-and-report
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Contact } from '#contracts/objects/contact'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Caller } from '#contracts/caller'
import { duringTests } from '#testing/during-tests'
import { pageIn } from '#testing/lists'
import { makeCaller, openService } from '#testing/product/one-service'
import { contacts } from '../service.ts'

const service = duringTests(() => openService(contacts))

const noAddress = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }
const nobody = { name: 'Ada', email: null, phone: null, tags: [] }
const blank = { ...nobody, address: noAddress, source: 'import', created_at: null }

async function importAll(caller: Caller, list: { key: string; contact: object; only_create?: boolean }[]) {
  const items = list.map(({ key, contact, only_create = false }) => ({
    key,
    only_create,
    contact: { ...blank, ...contact },
  }))
  const answer = await service.call('contacts.import', { source: 'retail', contacts: items }, { caller })
  return (answer as { results: ImportResult[] }).results
}

const outcomes = (results: ImportResult[]) => results.map(({ outcome }) => outcome)

async function listed(caller: Caller): Promise<Contact[]> {
  return pageIn<Contact>(await service.call('contacts.list', {}, { caller })).data
}

describe('contacts of a file', () => {
  test('imported twice change nothing the second time', async () => {
    const caller = makeCaller()
    const batch = [
      {
        key: '1',
        contact: {
          name: 'Customer 1',
          address: { ...noAddress, country: 'GB' },
          created_at: '2010-12-01T08:26:00.000Z',
        },
      },
      { key: '2', contact: { name: 'Customer 2', email: 'two@example.com', tags: ['VIP'] } },
    ]
    expect(outcomes(await importAll(caller, batch))).toEqual(['created', 'created'])
    const before = await listed(caller)
    expect(outcomes(await importAll(caller, batch))).toEqual(['unchanged', 'unchanged'])
    expect(await listed(caller)).toEqual(before)
    expect(before.find(({ name }) => name === 'Customer 1')).toMatchObject({
      source: 'import',
      marketingConsentAt: null,
      address: { country: 'GB' },
      createdAt: '2010-12-01T08:26:00.000Z',
    })
  })

  test('of one batch are decided in its order, as if the earlier ones were stored', async () => {
    const batch = [
      { key: 'a', contact: { name: 'Ada', email: 'ada@example.com' } },
      { key: 'b', contact: { name: 'Bob', phone: '+442079460958', tags: ['one'] } },
      { key: 'c', contact: { email: 'ADA@example.com', phone: '+442079460958', tags: ['two'] } },
      { key: 'd', contact: { phone: '+442079460958', tags: ['three'] } },
      { key: 'e', contact: { email: 'ada@example.com', address: { ...noAddress, city: 'London' } }, only_create: true },
    ]
    const together = makeCaller()
    const alone = makeCaller()
    const results = await importAll(together, batch)
    const single: ImportResult[] = []
    for (const one of batch) single.push(...(await importAll(alone, [one])))
    const told = (all: ImportResult[]) => all.map(({ outcome, code }) => `${outcome} ${code}`)
    expect(told(results)).toEqual([
      'created null',
      'created null',
      'updated phone_taken',
      'updated null',
      'unchanged null',
    ])
    expect(told(single)).toEqual(told(results))
    const shown = async (caller: Caller) =>
      (await listed(caller))
        .map(({ name, email, phone, tags, address }) => ({ name, email, phone, tags, address }))
        .toSorted(byName)
    const byName = (one: { name: string | null }, other: { name: string | null }) =>
      (one.name ?? '') < (other.name ?? '') ? -1 : 1
    expect(await shown(together)).toEqual(await shown(alone))
    expect(outcomes(await importAll(together, batch))).toEqual(batch.map(() => 'unchanged'))
  })

  test('of one person in two batches at once are one contact', async () => {
    const caller = makeCaller()
    const people = Array.from({ length: 30 }, (_, n) => `p${n}@example.com`)
    const runs = Array.from({ length: 6 }, (_, run) => {
      const list = people.map((email) => ({ key: `${run} ${email}`, contact: { email, tags: [`run-${run}`] } }))
      return importAll(caller, run % 2 === 0 ? list : list.toReversed())
    })
    const results = (await Promise.all(runs)).flat()
    expect(results.filter(({ outcome }) => outcome === 'created')).toHaveLength(people.length)
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    const [row] = await service.db.rows<{ count: number }>(
      'select count(*)::int as count from contact_tags where shop_id = $1',
      [caller.shopId],
    )
    expect(row?.count).toBe(6 * people.length)
  })

  test('sent again under the same batch id get the same results, warnings included', async () => {
    const caller = makeCaller()
    await importAll(caller, [
      { key: 'old', contact: { email: 'old@example.com' } },
      { key: 'phone', contact: { phone: '+442079460958' } },
    ])
    const contacts = [
      { key: 'old', contact: { email: 'old@example.com', tags: ['vip'], phone: '+442079460958' } },
      { key: 'new', contact: { email: 'new@example.com', phone: '12' } },
    ].map(({ key, contact }) => ({ key, only_create: false, contact: { ...blank, ...contact } }))
    const send = async (batch: string) => {
      const answer = await service.call('contacts.import', { source: 'retail', batch, contacts }, { caller })
      return (answer as { results: ImportResult[] }).results
    }
    const batch = randomUUID()
    const first = await send(batch)
    expect(first.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['updated', 'phone_taken'],
      ['created', 'bad_phone'],
    ])
    expect(await send(batch)).toEqual(first)
    expect(outcomes(await send(randomUUID()))).toEqual(['unchanged', 'unchanged'])
  })

  test('update the contact of their key when the row changed, but not with only_create', async () => {
    const caller = makeCaller()
    const [first] = await importAll(caller, [{ key: '1', contact: { email: 'one@example.com' } }])
    const [left] = await importAll(caller, [{ key: '1', only_create: true, contact: { email: 'other@example.com' } }])
    expect(left).toEqual({ key: '1', outcome: 'unchanged', id: first?.id, code: null, message: null })
    const [changed] = await importAll(caller, [{ key: '1', contact: { email: 'other@example.com', tags: ['a'] } }])
    expect(changed).toEqual({ key: '1', outcome: 'updated', id: first?.id, code: null, message: null })
    expect(await listed(caller)).toMatchObject([{ id: first?.id, email: 'other@example.com', tags: ['a'] }])
  })

  test('fill only the gaps of an existing contact, which gets the key', async () => {
    const caller = makeCaller()
    const contact = { email: 'ada@example.com', name: 'Ada Lovelace', address: { country: 'FR' } }
    await service.call('contacts.save', { contact }, { caller })
    const file = {
      email: 'ADA@example.com',
      phone: '020 7946 0958',
      name: 'A. L.',
      address: { ...noAddress, country: 'GB' },
      tags: ['new'],
    }
    expect(outcomes(await importAll(caller, [{ key: '1', contact: file }]))).toEqual(['updated'])
    expect(await listed(caller)).toMatchObject([
      { name: 'Ada Lovelace', phone: '+442079460958', address: { country: 'FR' }, tags: ['new'], source: 'manual' },
    ])
    expect(outcomes(await importAll(caller, [{ key: '1', contact: file }]))).toEqual(['unchanged'])
  })

  test('leave an email or phone with the contact that has it, with a warning', async () => {
    const caller = makeCaller()
    await importAll(caller, [
      { key: '1', contact: { email: 'one@example.com' } },
      { key: '2', contact: { phone: '+442079460958' } },
    ])
    const [both] = await importAll(caller, [
      { key: '3', contact: { email: 'one@example.com', phone: '+442079460958' } },
    ])
    expect(both).toMatchObject({
      outcome: 'unchanged',
      code: 'phone_taken',
      message: "The phone is another contact's.",
    })
    const [stolen] = await importAll(caller, [{ key: '2', contact: { email: 'one@example.com', tags: ['x'] } }])
    expect(stolen).toMatchObject({ outcome: 'updated', code: 'email_taken' })
    expect(await listed(caller)).toHaveLength(2)
  })

  test('fail one by one; an unreadable email or phone is left out with a warning', async () => {
    const caller = makeCaller()
    const results = await importAll(caller, [
      { key: '1', contact: { name: 'x'.repeat(256) } },
      { key: '2', contact: { email: 'no email' } },
      { key: '3', contact: { phone: '555-0142', address: { ...noAddress, country: 'US' } } },
      { key: 'x'.repeat(256), contact: {} },
      { key: '5', contact: { tags: ['x'.repeat(65)] } },
    ])
    expect(results).toMatchObject([
      { outcome: 'failed', id: null, code: 'invalid_request', message: expect.stringMatching(/^name must be/) },
      { outcome: 'created', code: 'bad_email' },
      { outcome: 'created', code: 'bad_phone' },
      { outcome: 'failed', id: null, code: 'invalid_request' },
      { outcome: 'failed', message: 'A tag must be at most 64 characters long.' },
    ])
  })

  test('in a dry run have the results of the real run and write nothing', async () => {
    const caller = makeCaller()
    await importAll(caller, [{ key: '1', contact: { email: 'one@example.com' } }])
    const before = await listed(caller)
    const contacts = ['one@example.com', 'two@example.com'].map((email, index) => {
      return { key: String(index + 1), only_create: false, contact: { ...blank, email, tags: ['new'] } }
    })
    const answer = await service.call('contacts.import', { source: 'retail', dry_run: true, contacts }, { caller })
    expect(outcomes((answer as { results: ImportResult[] }).results)).toEqual(['updated', 'created'])
    expect(await listed(caller)).toEqual(before)
  })

  test('with only_create leave an existing contact unchanged and give it the key', async () => {
    const caller = makeCaller()
    await service.call('contacts.save', { contact: { email: 'ada@example.com' } }, { caller })
    const before = await listed(caller)
    const [met] = await importAll(caller, [
      { key: 'k', only_create: true, contact: { email: 'ADA@example.com', phone: '+442079460958', tags: ['x'] } },
    ])
    expect([met?.outcome, met?.id]).toEqual(['unchanged', before[0]?.id])
    expect(await listed(caller)).toEqual(before)
  })

  test('with two keys of one person fill gaps only, whichever of them changes', async () => {
    const caller = makeCaller()
    const email = 'ada@example.com'
    await importAll(caller, [
      { key: '1', contact: { email, phone: '+442079460958' } },
      { key: '2', contact: { email } },
    ])
    const [changed] = await importAll(caller, [{ key: '2', contact: { email, phone: '+442079460999', tags: ['x'] } }])
    expect(changed?.outcome).toBe('updated')
    expect(await listed(caller)).toMatchObject([{ phone: '+442079460958', tags: ['x'] }])
  })

  test('are matched to buyers, many at a time: by email, then by phone', async () => {
    const caller = makeCaller()
    const [ada, bob] = await importAll(caller, [
      { key: '1', contact: { email: 'ada@example.com', phone: '+442079460958' } },
      { key: '2', contact: { email: 'bob@example.com' } },
    ])
    const people = [
      { email: 'BOB@example.com', phone: '+442079460958' },
      { email: 'nobody@example.com', phone: '020 7946 0958' },
      { email: 'nobody', phone: null },
      { email: null, phone: null },
    ]
    expect(await service.call('contacts.match_all', { people }, { caller })).toEqual({
      contact_ids: [bob?.id, ada?.id, null, null],
    })
  })

  test('imported by eight at once are created once', async () => {
    const caller = makeCaller()
    const batch = Array.from({ length: 30 }, (_, index) => ({
      key: `k${index}`,
      contact: index % 2 === 0 ? { email: `p${index}@example.com` } : {},
    }))
    const runs = await Promise.all(Array.from({ length: 8 }, () => importAll(caller, batch)))
    expect(runs.flat().filter(({ outcome }) => outcome === 'created')).toHaveLength(30)
    expect(new Set(runs.flat().map(({ id }) => id)).size).toBe(30)
    const [count] = await service.db.rows('select count(*) as n from contacts where shop_id = $1', [caller.shopId])
    expect(count).toEqual({ n: 30 })
  })
})
