// GET /contacts and GET /contacts/{id} (docs/spec/rest-api.md#list-contacts, docs/spec/rest-api.md#get-a-contact,
// docs/spec/rest-api.md#paging, docs/spec/objects.md#contact).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import type { Made } from '#testing/product/back-office'
import { forms } from '#testing/product/deployment-forms'
import { dataOf } from '#testing/product/http'
import { openStack } from '#testing/product/stack'

const nowhere = { line1: null, line2: null, city: null, region: null, postalCode: null, country: null }

describe.each(forms)('GET /contacts and /contacts/{id}, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let key: string
  let ada: Made
  let bob: Made
  let cleo: Made

  beforeAll(async () => {
    const shop = await stack.makeShop()
    key = (await stack.makeKey(shop.id)).secret
    ada = await stack.makeContact(shop.id, {
      name: 'Adä 🦊 Lovelace',
      email: 'Ada@Example.com',
      phone: '+44 20 7946 0018',
      tags: [' VIP ', 'Newsletter'],
      source: 'signup',
      marketingConsentAt: '2026-01-05T08:00:00.000Z',
      address: { line1: '1 St James Square', line2: '', city: 'London', postalCode: 'SW1Y 4LB', country: 'GB' },
      privateNote: 'nobody may read this',
      createdAt: '2026-01-01T10:00:00.000Z',
    })
    bob = await stack.makeContact(shop.id, { email: 'bob@example.com', createdAt: '2026-01-02T10:00:00.000Z' })
    cleo = await stack.makeContact(shop.id, {
      name: ' ',
      phone: '+33 1 99 00 12 34',
      tags: ['vip'],
      createdAt: '2026-01-03T10:00:00.000Z',
    })
    const other = await stack.makeShop()
    await stack.makeContact(other.id, { email: 'stranger@example.com', tags: ['vip'] })
  })

  const read = async <Data>(path: string) => dataOf<Data>(await stack.get(`/api/v1/contacts${path}`, { key }))
  const ids = async (query: string) => (await read<Made[]>(query)).map(({ id }) => id)

  test('newest first, each row the object of the detail, nothing of another shop', async () => {
    const { body } = await stack.get('/api/v1/contacts', { key })
    const data = [cleo.id, bob.id, ada.id].map((id) => expect.objectContaining({ id }))
    expect(body).toEqual({ data, has_more: false, next_cursor: null })
    for (const row of (body as { data: Made[] }).data) expect(await read(`/${row.id}`)).toEqual(row)
  })

  test('a contact with everything, its text in UTF-8', async () => {
    expect(await read(`/${ada.id}`)).toEqual({
      id: ada.id,
      object: 'contact',
      name: 'Adä 🦊 Lovelace',
      email: 'Ada@example.com',
      phone: '+442079460018',
      tags: ['vip', 'newsletter'],
      source: 'signup',
      marketingConsentAt: '2026-01-05T08:00:00.000Z',
      address: { ...nowhere, line1: '1 St James Square', city: 'London', postalCode: 'SW1Y 4LB', country: 'GB' },
      createdAt: '2026-01-01T10:00:00.000Z',
      updatedAt: ada.updatedAt,
    })
  })

  test('a contact with nothing has exactly the same fields, and its email or phone as the name', async () => {
    const nothing = { object: 'contact', tags: [], source: 'manual', marketingConsentAt: null, address: nowhere }
    expect(await read(`/${bob.id}`)).toEqual({
      ...nothing,
      id: bob.id,
      name: 'bob@example.com',
      email: 'bob@example.com',
      phone: null,
      createdAt: '2026-01-02T10:00:00.000Z',
      updatedAt: bob.updatedAt,
    })
    expect(await read(`/${cleo.id}`)).toEqual({
      ...nothing,
      id: cleo.id,
      name: '+33199001234',
      email: null,
      phone: '+33199001234',
      tags: ['vip'],
      createdAt: '2026-01-03T10:00:00.000Z',
      updatedAt: cleo.updatedAt,
    })
  })

  test('a tag is trimmed and lowercased like stored tags', async () => {
    expect(await ids('?tag=%20VIP%09')).toEqual([cleo.id, ada.id])
    expect(await ids('?tag=nobody')).toEqual([])
  })

  test('a tag that normalises to nothing is 400', async () => {
    for (const tag of ['', '%20', '%E2%80%8B', '%CC%81']) {
      const { status, body } = await stack.get(`/api/v1/contacts?tag=${tag}`, { key })
      expect(status).toBe(400)
      expect(body).toEqual({
        error: expect.objectContaining({ code: 'invalid_request', message: 'tag holds nothing that a tag could be.' }),
      })
    }
  })

  test('an email matches whatever its case', async () => {
    expect(await ids('?email=ADA%40example.COM')).toEqual([ada.id])
    expect(await ids('?email=ada%40example.co')).toEqual([])
  })

  test('consented=true narrows; any other value is as if it were absent', async () => {
    expect(await ids('?consented=true')).toEqual([ada.id])
    for (const value of ['false', 'TRUE', '1', '', '%FF', 'x'.repeat(2_000), 'maybe&consented=false']) {
      expect(await ids(`?consented=${value}`)).toHaveLength(3)
    }
    for (const query of ['true&consented=maybe', '%FF&consented=true'])
      expect(await ids(`?consented=${query}`)).toEqual([ada.id])
  })

  test('a cursor serves the list without consented and with any value of it but true', async () => {
    const { body } = await stack.get('/api/v1/contacts?limit=1&consented=maybe', { key })
    const { next_cursor: cursor } = body as { next_cursor: string }
    for (const query of ['', '&consented=false', '&consented=no&consented=%FF']) {
      expect(await ids(`?cursor=${cursor}${query}`)).toEqual([bob.id, ada.id])
    }
    expect((await stack.get(`/api/v1/contacts?cursor=${cursor}&consented=true`, { key })).status).toBe(400)
  })

  test('a plus that is not encoded is one in an email and in an instant, and a space in a tag', async () => {
    const { id: shopId } = await stack.makeShop()
    const own = (await stack.makeKey(shopId)).secret
    const { id } = await stack.makeContact(shopId, { email: 'p+q@example.com', tags: ['big spender', 'c++'] })
    const after = '2026-01-01T00:00:00+02:00'
    for (const query of [
      `email=p+q@example.com&created_after=${after}`,
      'email=p%2Bq%40example.com',
      'tag=Big+Spender',
      'tag=c%2B%2B',
    ]) {
      expect((await stack.get(`/api/v1/contacts?${query}`, { key: own })).body).toMatchObject({ data: [{ id }] })
    }
    const refused = await stack.get('/api/v1/contacts?tag=c++', { key: own })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('%2B')])
  })

  test('filters combine', async () => {
    expect(await ids('?tag=vip&consented=true&email=ada%40example.com')).toEqual([ada.id])
    expect(await ids('?tag=vip&email=bob%40example.com')).toEqual([])
  })

  test('times are half-open', async () => {
    expect(await ids('?created_after=2026-01-02T10:00:00Z')).toEqual([cleo.id, bob.id])
    expect(await ids('?created_before=2026-01-02T10:00:00Z')).toEqual([ada.id])
    expect(await ids('?created_after=2026-01-02T10:00:00.000Z&created_before=2026-01-02T10:00:00.001Z')).toEqual([
      bob.id,
    ])
    expect(await ids('?created_after=2026-01-02T12:00:00%2B02:00')).toEqual([cleo.id, bob.id])
    expect(await ids('?updated_before=2026-01-01T00:00:00Z')).toEqual([])
    expect(await ids('?updated_after=2026-01-01T00:00:00Z')).toHaveLength(3)
  })

  test('cursors walk the list one by one, with the filters they were issued for', async () => {
    const first = await stack.get('/api/v1/contacts?tag=vip&limit=1', { key })
    expect(first.body).toMatchObject({ data: [{ id: cleo.id }], has_more: true, next_cursor: expect.any(String) })
    const { next_cursor: cursor } = first.body as { next_cursor: string }
    const second = await stack.get(`/api/v1/contacts?tag=vip&limit=1&cursor=${cursor}`, { key })
    expect(second.body).toMatchObject({ data: [{ id: ada.id }], has_more: false, next_cursor: null })
    const elsewhere = await stack.get(`/api/v1/contacts?tag=newsletter&cursor=${cursor}`, { key })
    expect(elsewhere.status).toBe(400)
  })
})
