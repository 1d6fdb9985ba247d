// Proves what the public upsert shares with nobody: what happens where the shop cannot be told, and that consents which the
// back office brings or ends leave evidence while requests leave none. Its rules: rest-gateway/post-contacts.test.ts.
// Spec: POST /contacts, rule 2. admin-api.md: contacts (`marketingConsentAt` may be given).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Contact } from '#contracts/objects/contact'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { contacts } from '../service.ts'

let house: OneService
beforeAll(async () => {
  house = await openService(contacts, {
    'shop.get': async () => {
      throw new Error('auth is away')
    },
  })
})
afterAll(() => house.close())

const caller = makeCaller()

async function save(contact: object): Promise<Contact> {
  const { body } = (await house.call('contacts.save', { contact }, { caller })) as { body: Buffer }
  return JSON.parse(body.toString()).data
}

function evidenceOf(id: string) {
  return house.db.rows(
    'select kind, email, at, address, agent, source from consents where contact_id = $1 order by kind',
    [id],
  )
}

describe('where the name of the shop cannot be told', () => {
  test('nothing is written when a mail is wanted; without a mail nobody is asked', async () => {
    const email = 'ada@example.com'
    await expect(house.call('contacts.upsert', { email, send_opt_in: true }, { caller })).rejects.toThrow(
      'auth is away',
    )
    expect(await house.db.rows('select 1 from contacts where email = $1', [email])).toEqual([])
    expect(await house.call('contacts.upsert', { email }, { caller })).toBeInstanceOf(Buffer)
  })
})

describe('evidence of consents', () => {
  const givenAt = '2026-01-02T03:04:05.000Z'

  test('what the back office brings is kept once, and again when it is another one', async () => {
    const { id } = await save({ email: 'bob@example.com', marketingConsentAt: givenAt })
    await save({ email: 'bob@example.com', marketingConsentAt: givenAt })
    await house.call('contacts.upsert', { email: 'bob@example.com', tags: ['a'] }, { caller })
    const given = { kind: 'given', email: 'bob@example.com', address: null, agent: null, source: 'back_office' }
    expect(await evidenceOf(id)).toEqual([{ ...given, at: new Date(givenAt) }])
    await save({ email: 'bob@example.com', marketingConsentAt: '2026-02-02T03:04:05.000Z' })
    expect(await evidenceOf(id)).toHaveLength(2)
  })

  test('one that ends, by itself or with its address, is kept as ended', async () => {
    const { id } = await save({ email: 'cy@example.com', marketingConsentAt: givenAt })
    await save({ email: 'cy@example.com', marketingConsentAt: null })
    const other = await save({ email: 'di@example.com', phone: '+442079460958', marketingConsentAt: givenAt })
    await save({ email: 'new@example.com', phone: '+442079460958' })
    expect((await evidenceOf(id)).at(-1)).toMatchObject({ kind: 'withdrawn', email: 'cy@example.com' })
    expect((await evidenceOf(other.id)).at(-1)).toMatchObject({ kind: 'withdrawn', email: 'di@example.com' })
  })
})
