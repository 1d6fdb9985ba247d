// POST /contacts: matching, merging, ignored fields, refusals (docs/spec/rest-api.md#save-a-contact). The mail:
// opt-in/post-contacts.test.ts. Malformed bodies: every-route.test.ts.
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Contact } from '#contracts/objects/contact'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

type Saved = Contact & { optInSent: boolean; droppedTags: string[]; ignored: string[] }

describe.each(forms)('POST /contacts, %s', (form) => {
  const stack = duringTests(() => openStack({ form, replicas: { 'rest-gateway': 2, contacts: 2 } }))
  let shopId: string
  let key: string

  beforeEach(async () => {
    shopId = (await stack.makeShop({ country: 'GB' })).id
    key = (await stack.makeKey(shopId, 'write')).secret
  })

  const post = (json: object, gateway = 0) => stack.post('/api/v1/contacts', { key, json, gateway })
  const save = async (json: object): Promise<Saved> => {
    const { status, body } = await post(json)
    expect({ status, body }).toMatchObject({ status: 200 })
    return (body as { data: Saved }).data
  }
  const refused = async (json: object) => {
    const { status, body } = await post(json)
    return [status, (body as { error: { code: string; message: string } }).error]
  }
  const invalid = (message: string) => [400, expect.objectContaining({ code: 'invalid_request', message })]
  const all = async () => ((await stack.get('/api/v1/contacts', { key })).body as { data: Contact[] }).data

  test('a new person answers 200 with the whole contact, made by the API', async () => {
    const given = { email: ' Ada@Example.COM ', phone: '020 7946 0958', name: 'Ada', tags: [' VIP ', 'Crème'] }
    const { status, body } = await post(given)
    expect(status).toBe(200)
    const { id } = (body as { data: Saved }).data
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        object: 'contact',
        name: 'Ada',
        source: 'api',
        email: 'Ada@example.com',
        phone: '+442079460958',
        tags: ['vip', 'crème'],
        marketingConsentAt: null,
        address: { line1: null, line2: null, city: null, region: null, postalCode: null, country: null },
        createdAt: instant,
        updatedAt: instant,
        optInSent: false,
        droppedTags: [],
        ignored: [],
      },
    })
    const { optInSent: _sent, droppedTags: _dropped, ignored: _ignored, ...contact } = (body as { data: Saved }).data
    expect((await stack.get(`/api/v1/contacts/${id}`, { key })).body).toEqual({ data: contact })
    expect((await stack.get('/api/v1/contacts?tag=VIP', { key })).body).toMatchObject({ data: [contact] })
  })

  describe('matching', () => {
    test('the same person twice is one contact, and the second call changes nothing', async () => {
      const first = await save({ email: 'ada@example.com', phone: '020 7946 0958', tags: ['vip'] })
      const again = await save({ email: 'ADA@example.com', phone: '+44 20 7946 0958', tags: ['VIP'] })
      expect(again).toEqual(first)
      expect(await all()).toHaveLength(1)
    })

    test('a phone finds the contact in any spelling of it', async () => {
      const { id } = await save({ phone: '(020) 7946-0958' })
      expect(await save({ phone: '+442079460958' })).toMatchObject({ id })
      expect(await save({ phone: '0044 20 7946 0958' })).toMatchObject({ id })
    })

    test('email wins over phone', async () => {
      const ada = await save({ email: 'ada@example.com' })
      const bob = await save({ phone: '020 7946 0958' })
      expect(ada.id).not.toBe(bob.id)
      expect(await save({ email: 'ada@example.com', phone: '020 7946 0958' })).toMatchObject({ id: ada.id })
    })

    test('email of one contact and phone of another: nothing is merged, each keeps its values', async () => {
      const ada = await save({ email: 'ada@example.com', tags: ['a'] })
      const bob = await save({ email: 'bob@example.com', phone: '020 7946 0958', tags: ['b'] })
      const saved = await save({ email: 'ada@example.com', phone: '020 7946 0958', tags: ['c'] })
      expect(saved).toMatchObject({ id: ada.id, email: 'ada@example.com', phone: null, tags: ['a', 'c'] })
      expect(saved.ignored).toEqual(['phone'])
      const { body } = await stack.get(`/api/v1/contacts/${bob.id}`, { key })
      expect(body).toMatchObject({ data: { email: 'bob@example.com', phone: '+442079460958', tags: ['b'] } })
      expect(await all()).toHaveLength(2)
    })

    test('email and phone fill a gap, and replace nothing', async () => {
      const { id } = await save({ phone: '020 7946 0958' })
      expect(await save({ email: 'ada@example.com', phone: '020 7946 0958' })).toMatchObject({
        id,
        email: 'ada@example.com',
        phone: '+442079460958',
      })
      const other = { email: 'other@example.com', phone: '020 7946 0958' }
      expect(await save(other)).toMatchObject({ id, email: 'ada@example.com', ignored: ['email'] })
      const moved = { email: 'ada@example.com', phone: '020 7946 0111' }
      expect(await save(moved)).toMatchObject({ id, phone: '+442079460958', ignored: ['phone'] })
      expect(await all()).toHaveLength(1)
    })

    test('the same person in two shops is two contacts', async () => {
      const here = await save({ email: 'ada@example.com', tags: ['here'] })
      key = (await stack.makeKey((await stack.makeShop()).id, 'write')).secret
      const there = await save({ email: 'ada@example.com' })
      expect(there.id).not.toBe(here.id)
      expect(there.tags).toEqual([])
    })

    test('50 calls at once for one person, over two gateways, make one contact and lose no tag', async () => {
      const spellings = ['ada@example.com', 'ADA@Example.com', ' Ada@EXAMPLE.COM']
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_nothing, index) =>
          post(
            {
              email: spellings[index % 3],
              ...(index % 2 === 0 ? { phone: '020 7946 0958' } : {}),
              ...(index % 5 === 0 ? { name: `Ada ${index}` } : {}),
              tags: [`tag ${index}`, 'all'],
            },
            index % stack.ports.length,
          ),
        ),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(new Set(answers.map(({ body }) => (body as { data: Saved }).data.id)).size).toBe(1)
      const [contact, ...others] = await all()
      expect(others).toEqual([])
      const tags = ['all', ...Array.from({ length: 50 }, (_nothing, index) => `tag ${index}`)]
      expect(contact?.tags.toSorted()).toEqual(tags.toSorted())
      expect(contact).toMatchObject({ phone: '+442079460958', name: expect.stringMatching(/^Ada \d+$/) })
      const byTag = await stack.get('/api/v1/contacts?tag=tag%2049', { key })
      expect(byTag.body).toMatchObject({ data: [{ id: contact?.id }] })
    })

    test('50 calls at once by phone alone are one contact as well', async () => {
      const calls = Array.from({ length: 50 }, (_nothing, index) =>
        post({ phone: '020 7946 0958', tags: [`tag ${index}`] }, index % stack.ports.length),
      )
      expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]))
      const [contact, ...others] = await all()
      expect([others, contact?.tags.length]).toEqual([[], 50])
    })
  })

  describe('the name', () => {
    test('falls back to the email, then to the phone', async () => {
      expect(await save({ email: 'ada@example.com', phone: '020 7946 0958' })).toMatchObject({
        name: 'ada@example.com',
      })
      expect(await save({ phone: '020 7946 0111', name: ' \u200b ' })).toMatchObject({ name: '+442079460111' })
    })

    test('fills a gap or replaces a fallback; a given name stays', async () => {
      await save({ email: 'ada@example.com' })
      expect(await save({ email: 'ada@example.com', name: 'Ada' })).toMatchObject({ name: 'Ada' })
      expect(await save({ email: 'ada@example.com', name: 'Somebody else' })).toMatchObject({
        name: 'Ada',
        ignored: ['name'],
      })
      expect(await save({ email: 'ADA@example.com', name: null })).toMatchObject({ name: 'Ada', ignored: [] })
    })

    test('a name that is only the phone is replaced by an email', async () => {
      await save({ phone: '020 7946 0958' })
      expect(await save({ phone: '020 7946 0958', email: 'ada@example.com' })).toMatchObject({
        name: 'ada@example.com',
      })
    })
  })

  describe('tags', () => {
    test('are merged, never replaced', async () => {
      await save({ email: 'ada@example.com', tags: ['b', 'a'] })
      expect(await save({ email: 'ada@example.com', tags: ['C', 'a'] })).toMatchObject({ tags: ['b', 'a', 'c'] })
      expect(await save({ email: 'ada@example.com', tags: [] })).toMatchObject({ tags: ['b', 'a', 'c'] })
      expect(await save({ email: 'ada@example.com', tags: null })).toMatchObject({ tags: ['b', 'a', 'c'] })
    })

    test('at most 20 of a request are kept, and the answer names the others', async () => {
      const tags = Array.from({ length: 22 }, (_nothing, index) => `Tag ${index}`)
      const saved = await save({ email: 'ada@example.com', tags: [' TAG 0', ...tags] })
      expect(saved.tags).toEqual(tags.slice(0, 20).map((tag) => tag.toLowerCase()))
      expect(saved.droppedTags).toEqual(['tag 20', 'tag 21'])
      expect((await save({ email: 'ada@example.com', tags: ['tag 20'] })).tags).toHaveLength(21)
    })

    test('a contact has at most 250; the answer names the others', async () => {
      const numbered = (from: number, to: number) =>
        Array.from({ length: to - from }, (_nothing, index) => `tag ${from + index}`)
      await stack.makeContact(shopId, { email: 'ada@example.com', tags: numbered(0, 240) })
      const saved = await save({ email: 'ada@example.com', tags: numbered(235, 255) })
      expect(saved.tags).toEqual(numbered(0, 250))
      expect(saved.droppedTags).toEqual(numbered(250, 255))
    })

    test('an invisible tag and one of more than 64 characters are refused', async () => {
      const nothing = invalid('A tag must hold at least one visible character.')
      for (const tag of ['', ' ', '\u200b', '\u00a0\u2003\u00ad']) {
        expect(await refused({ email: 'ada@example.com', tags: ['vip', tag] })).toEqual(nothing)
      }
      const long = invalid('A tag must be at most 64 characters long.')
      expect(await refused({ email: 'ada@example.com', tags: ['x'.repeat(65)] })).toEqual(long)
      expect(await all()).toEqual([])
    })
  })

  describe('fields that a request cannot set', () => {
    const time = '2026-01-01T00:00:00.000Z'
    const readOnly = {
      id: '11111111-2222-4333-8444-555555555555',
      object: 'order',
      source: 'import',
      shopId: 'x',
      marketingConsentAt: time,
      marketing_consent_at: time,
      createdAt: time,
      updatedAt: time,
      address: { line1: '1 Main Street' },
      privateNote: 'rude',
      anything: [{}],
      optInSent: true,
      droppedTags: ['x'],
      send_opt_in: true,
    }

    test('a consent, the source, an id and all others are ignored', async () => {
      const saved = await save({ email: 'ada@example.com', ...readOnly })
      expect(saved).toMatchObject({
        object: 'contact',
        source: 'api',
        marketingConsentAt: null,
        optInSent: false,
        droppedTags: [],
        address: { line1: null },
      })
      expect(saved.id).not.toBe(readOnly.id)
      expect([saved.createdAt, saved.updatedAt]).not.toContain(time)
    })

    test('an existing consent and the source stay', async () => {
      await stack.makeContact(shopId, { email: 'ada@example.com', marketingConsentAt: '2026-02-03T04:05:06.789Z' })
      for (const marketingConsentAt of [null, '2020-01-01T00:00:00.000Z', 'x', 0]) {
        expect(await save({ email: 'ada@example.com', tags: ['vip'], marketingConsentAt })).toMatchObject({
          marketingConsentAt: '2026-02-03T04:05:06.789Z',
          source: 'manual',
        })
      }
    })

    test('updatedAt moves when something visible changed, and only then', async () => {
      const { updatedAt, createdAt } = await save({ email: 'ada@example.com', name: 'Ada', tags: ['a'] })
      expect(updatedAt).toBe(createdAt)
      expect(await save({ email: 'ADA@example.com', name: 'Eve', tags: ['A'] })).toMatchObject({ updatedAt })
      const changed = await save({ email: 'ada@example.com', tags: ['b'] })
      expect(changed.updatedAt > updatedAt).toBe(true)
      expect(changed.createdAt).toBe(createdAt)
    })
  })

  describe('refusals', () => {
    test('neither email nor phone', async () => {
      const neither = invalid('email is required, or phone.')
      for (const body of [{}, { name: 'Ada' }, { email: null, phone: null }, { email: ' ', phone: '' }]) {
        expect(await refused(body)).toEqual(neither)
      }
    })

    test('an email that cannot be stored', async () => {
      const wrong = ['ada', 'ada@', '@example.com', 'ada@localhost', 'a b@example.com', 'Ada <ada@example.com>']
      const long = `${'a'.repeat(65)}@example.com`
      for (const email of [...wrong, 'ada@example.com, b@example.com', long, 'ada@ex\nample.com']) {
        expect([email, await refused({ email, phone: '020 7946 0958' })]).toEqual([
          email,
          invalid('email must be an email address.'),
        ])
      }
      expect(await all()).toEqual([])
    })

    test('a phone that is none', async () => {
      const words = 'phone must be a phone number, with its country code unless it is one of the country of the shop.'
      for (const phone of ['1', 'call me', '+', '+999 1234567', '020 7946 0958 ext. 3', '7'.repeat(40)]) {
        expect([phone, await refused({ email: 'ada@example.com', phone })]).toEqual([phone, invalid(words)])
      }
    })

    test('a national number where the shop names no country', async () => {
      key = (await stack.makeKey((await stack.makeShop()).id, 'write')).secret
      expect(await refused({ phone: '020 7946 0958' })).toMatchObject([400, { code: 'invalid_request' }])
      expect(await save({ phone: '+44 20 7946 0958' })).toMatchObject({ phone: '+442079460958' })
    })

    test('a value of the wrong type, with its name in the body', async () => {
      const email = 'ada@example.com'
      const wrong: [object, string][] = [
        [{ email: 1 }, 'email must be text.'],
        [{ email: ['a@example.com'] }, 'email must be text.'],
        [{ phone: 2079460958 }, 'phone must be text.'],
        [{ email, name: {} }, 'name must be text.'],
        [{ email, name: 'x'.repeat(256) }, 'name must be at most 255 characters long.'],
        [{ email, tags: 'vip' }, 'tags must be a list.'],
        [{ email, tags: ['vip', 1] }, 'tags[1] must be text.'],
        [{ email, tags: [null] }, 'tags[0] must be text.'],
        [{ email, sendOptIn: 'true' }, 'sendOptIn must be true or false.'],
        [{ email, sendOptIn: 1 }, 'sendOptIn must be true or false.'],
      ]
      for (const [body, message] of wrong) expect(await refused(body)).toEqual(invalid(message))
      expect(await all()).toEqual([])
      expect(await save({ email, phone: null, name: null, tags: null, sendOptIn: null })).toMatchObject({ email })
    })
  })
})
