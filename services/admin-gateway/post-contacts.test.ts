// POST /shops/{shop}/contacts over HTTP (docs/spec/back-office.md#contacts).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

describe.each(forms)('POST contacts, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shop: string
  let key: string

  beforeAll(async () => {
    const made = await stack.makeShop({ country: 'GB' })
    shop = made.handle
    key = (await stack.makeKey(made.id)).secret
  })

  const post = (body: object) => adminRequest(stack, 'POST', `/shops/${shop}/contacts`, { body })

  test('a new person answers 201, a known one 200, and the public API answers the same', async () => {
    const first = await post({ email: 'Ada@Example.com', phone: '020 7946 0958', tags: ['VIP'], privateNote: 'secret' })
    expect(first.status).toBe(201)
    const { data } = first.body as { data: { id: string } }
    expect(first.body).toEqual({
      data: {
        id: data.id,
        object: 'contact',
        name: 'Ada@example.com',
        email: 'Ada@example.com',
        phone: '+442079460958',
        tags: ['vip'],
        source: 'manual',
        marketingConsentAt: null,
        address: { line1: null, line2: null, city: null, region: null, postalCode: null, country: null },
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    })
    const again = await post(data)
    expect([again.status, again.text]).toEqual([200, first.text])
    const read = await stack.get(`/api/v1/contacts/${data.id}`, { key })
    expect(read.text).toBe(first.text)
    expect((await stack.get('/api/v1/contacts?tag=vip', { key })).body).toMatchObject({ data: [{ id: data.id }] })
  })
})
