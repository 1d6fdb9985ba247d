// GET /contacts/{id} (docs/spec/rest-api.md#get-a-contact, docs/spec/objects.md#contact).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Made } from '#testing/product/back-office'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

describe.each(forms)('GET /contacts/{id}, %s', (form) => {
  let stack: Stack
  let key: string
  let bare: Made
  let full: Made

  beforeAll(async () => {
    stack = await openStack({ form })
    const shop = await stack.makeShop()
    key = (await stack.makeKey(shop.id)).secret
    bare = await stack.makeContact(shop.id, { phone: '+442079460018', name: ' ' })
    full = await stack.makeContact(shop.id, {
      name: 'Zoë 🦊',
      email: 'zoe@example.com',
      tags: ['crème'],
      address: { line1: 'a', line2: 'b', city: 'c', region: 'd', postalCode: 'e', country: 'FR' },
      marketingConsentAt: '2026-02-01T00:00:00.000Z',
      createdAt: '2026-01-31T23:59:59.999Z',
    })
  })
  afterAll(() => stack.stop())

  test('the contact, its nulls and its text in UTF-8', async () => {
    const { status, body } = await stack.get(`/api/v1/contacts/${full.id}`, { key })
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        id: full.id,
        object: 'contact',
        name: 'Zoë 🦊',
        email: 'zoe@example.com',
        phone: null,
        tags: ['crème'],
        source: 'manual',
        marketingConsentAt: '2026-02-01T00:00:00.000Z',
        address: { line1: 'a', line2: 'b', city: 'c', region: 'd', postalCode: 'e', country: 'FR' },
        createdAt: '2026-01-31T23:59:59.999Z',
        updatedAt: full.updatedAt,
      },
    })
  })

  test('a contact with nothing has exactly the fields of one with everything', async () => {
    const one = (await stack.get(`/api/v1/contacts/${bare.id}`, { key })).body as { data: object }
    const other = (await stack.get(`/api/v1/contacts/${full.id}`, { key })).body as { data: object }
    expect(Object.keys(one.data)).toEqual(Object.keys(other.data))
    expect(one.data).toMatchObject({ email: null, name: '+442079460018', phone: '+442079460018', tags: [] })
  })

  test('the list shows the same object', async () => {
    const list = (await stack.get('/api/v1/contacts', { key })).body as { data: unknown[] }
    const one = (await stack.get(`/api/v1/contacts/${full.id}`, { key })).body as { data: unknown }
    expect(list.data).toContainEqual(one.data)
  })
})
