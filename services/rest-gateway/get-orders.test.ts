// GET /orders (docs/spec/rest-api.md#list-orders, docs/spec/rest-api.md#paging, docs/spec/objects.md#order).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Made } from '#testing/product/back-office'
import { forms } from '#testing/product/deployment-forms'
import { openStack, type Stack } from '#testing/product/stack'

describe.each(forms)('GET /orders, %s', (form) => {
  let stack: Stack
  let shopId: string
  let key: string
  let ada: Made
  let first: Made
  let second: Made
  let third: Made

  beforeAll(async () => {
    stack = await openStack({ form })
    shopId = (await stack.makeShop()).id
    key = (await stack.makeKey(shopId)).secret
    ada = await stack.makeContact(shopId, { email: 'ada@example.com' })
    const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1250 }, quantity: 2 }
    const order = (paymentMethod: string, email: string, day: string) =>
      stack.makeOrder(shopId, {
        paymentMethod,
        customer: { email },
        items: [line],
        createdAt: `2026-04-${day}T00:00:00.000Z`,
      })
    first = await order('card', 'Ada@Example.com', '01')
    second = await order('bank_transfer', 'bob@example.com', '02')
    third = await order('card', 'ada@example.com', '03')
  })
  afterAll(() => stack.stop())

  async function ids(query: string): Promise<string[]> {
    const { status, body } = await stack.get(`/api/v1/orders${query}`, { key })
    expect(status).toBe(200)
    return (body as { data: { id: string }[] }).data.map(({ id }) => id)
  }

  test('newest first, items always there, each row the object of the detail', async () => {
    const { status, body } = await stack.get('/api/v1/orders', { key })
    expect(status).toBe(200)
    expect(body).toMatchObject({ has_more: false, next_cursor: null })
    const { data } = body as { data: { id: string; items: unknown[] }[] }
    expect(data.map(({ id }) => id)).toEqual([third.id, second.id, first.id])
    for (const row of data) {
      expect(row.items).toHaveLength(1)
      expect((await stack.get(`/api/v1/orders/${row.id}`, { key })).body).toEqual({ data: row })
    }
  })

  test('status and payment_status combine', async () => {
    expect(await ids('?payment_status=paid')).toEqual([third.id, first.id])
    expect(await ids('?payment_status=unpaid')).toEqual([second.id])
    expect(await ids('?status=new&payment_status=unpaid')).toEqual([second.id])
    expect(await ids('?status=shipped')).toEqual([])
    expect(await ids('?status=shipped,new&payment_status=paid,unpaid')).toEqual([third.id, second.id, first.id])
    expect(await ids('?status=new%2Cshipped&payment_status=unpaid,disputed')).toEqual([second.id])
    expect(await ids('?status=shipped,cancelled')).toEqual([])
  })

  test('email is that of the order, whatever its case', async () => {
    expect(await ids('?email=ADA%40EXAMPLE.com')).toEqual([third.id, first.id])
    expect(await ids('?email=nobody%40example.com')).toEqual([])
  })

  test('client_id gathers the orders of one person', async () => {
    expect(await ids(`?client_id=${ada.id}`)).toEqual([third.id, first.id])
    expect(await ids(`?client_id=${first.id}`)).toEqual([])
  })

  test('times are half-open', async () => {
    expect(await ids('?created_after=2026-04-02T00:00:00Z')).toEqual([third.id, second.id])
    expect(await ids('?created_before=2026-04-02T00:00:00Z')).toEqual([first.id])
    expect(await ids('?updated_before=2020-01-01T00:00:00Z')).toEqual([])
  })

  test.each([
    ['status=paid', 'status must be one of new, confirmed, shipped, completed, cancelled, refunded.'],
    ['status=', 'status must be one of new, confirmed, shipped, completed, cancelled, refunded.'],
    ['status=New', 'status must be one of new, confirmed, shipped, completed, cancelled, refunded.'],
    ['payment_status=new', 'payment_status must be one of unpaid, pending, paid, refunded, disputed.'],
    ['client_id=1001', 'client_id must be a UUID.'],
    ['created_after=yesterday', 'created_after must be an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z.'],
    [
      'updated_before=2026-01-01',
      'updated_before must be an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z.',
    ],
    ['email=%00', 'email must be text without U+0000 or broken characters.'],
  ])('%s is 400 and says what is allowed', async (query, message) => {
    const { status, body } = await stack.get(`/api/v1/orders?${query}`, { key })
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.objectContaining({ code: 'invalid_request', message }) })
  })
})
