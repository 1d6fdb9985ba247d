// An outage of auth during the public upsert, and the consent records of saves. docs/spec/double-opt-in.md#consent-record
// The rules of the public upsert are tested through the REST gateway.
import { describe, expect, test } from '@jest/globals'
import type { Contact } from '#contracts/objects/contact'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { contacts } from '../service.ts'

const service = duringTests(() =>
  openService(contacts, {
    'shop.get': async () => {
      throw new Error('auth is unreachable')
    },
  }),
)

const caller = makeCaller()

async function save(contact: object): Promise<Contact> {
  const { body } = (await service.call('contacts.save', { contact }, { caller })) as { body: Buffer }
  return JSON.parse(body.toString()).data
}

function recordsOf(id: string) {
  return service.db.rows(
    'select kind, email, at, address, agent, source from consents where contact_id = $1 order by kind',
    [id],
  )
}

describe('when the name of the shop cannot be read', () => {
  test('a request for a mail writes nothing, and one without a mail succeeds', async () => {
    const email = 'ada@example.com'
    await expect(service.call('contacts.upsert', { email, send_opt_in: true }, { caller })).rejects.toThrow(
      'auth is unreachable',
    )
    expect(await service.db.rows('select 1 from contacts where email = $1', [email])).toEqual([])
    expect(await service.call('contacts.upsert', { email }, { caller })).toBeInstanceOf(Buffer)
  })
})

describe('consent records', () => {
  const consentAt = '2026-01-02T03:04:05.000Z'

  test('a consent of the back office is recorded once, and again when it changes', async () => {
    const { id } = await save({ email: 'bob@example.com', marketingConsentAt: consentAt })
    await save({ email: 'bob@example.com', marketingConsentAt: consentAt })
    await service.call('contacts.upsert', { email: 'bob@example.com', tags: ['a'] }, { caller })
    const record = { kind: 'given', email: 'bob@example.com', address: null, agent: null, source: 'back_office' }
    expect(await recordsOf(id)).toEqual([{ ...record, at: new Date(consentAt) }])
    await save({ email: 'bob@example.com', marketingConsentAt: '2026-02-02T03:04:05.000Z' })
    expect(await recordsOf(id)).toHaveLength(2)
  })

  test('a consent that ends, by itself or with its address, is recorded as withdrawn', async () => {
    const { id } = await save({ email: 'cy@example.com', marketingConsentAt: consentAt })
    await save({ email: 'cy@example.com', marketingConsentAt: null })
    const other = await save({ email: 'di@example.com', phone: '+442079460958', marketingConsentAt: consentAt })
    await save({ email: 'new@example.com', phone: '+442079460958' })
    expect((await recordsOf(id)).at(-1)).toMatchObject({ kind: 'withdrawn', email: 'cy@example.com' })
    expect((await recordsOf(other.id)).at(-1)).toMatchObject({ kind: 'withdrawn', email: 'di@example.com' })
  })
})
