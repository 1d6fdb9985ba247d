// GET /orders/stamps, /products/stamps and /contacts/stamps. docs/spec/rest-api.md#list-stamps
import { beforeAll, describe, expect, test } from '@jest/globals'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { type Page, walkPages } from '#testing/lists'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

type Stamp = { id: string; updatedAt: string }

const nouns = ['orders', 'products', 'contacts'] as const

describe.each(forms)('stamps, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  const database = duringTests(() => openClient(stack.databaseUrl))
  let shopId: string
  let key: string
  let strangerKey: string

  beforeAll(async () => {
    shopId = (await stack.makeShop()).id
    key = (await stack.makeKey(shopId)).secret
    strangerKey = (await stack.makeKey((await stack.makeShop()).id)).secret
    const items = [{ title: 'Thing', kind: 'digital', unitPrice: { cents: 100 }, quantity: 1 }]
    for (let index = 0; index < 12; index += 1) {
      await stack.makeOrder(shopId, { paymentMethod: 'card', items })
      await stack.makeProduct(shopId, { title: `Thing ${index}`, price: { cents: 100 }, isPublished: index > 5 })
      await stack.makeContact(shopId, { email: `person${index}@example.com` })
    }
  })

  async function read(path: string): Promise<Page<Stamp>> {
    const { status, body } = await stack.get(`/api/v1/${path}`, { key })
    expect({ path, status }).toEqual({ path, status: 200 })
    return body as Page<Stamp>
  }
  const refusalOf = async (path: string) => {
    const { status, body } = await stack.get(`/api/v1/${path}`, { key })
    const { code, param, message } = (body as { error: Record<string, string> }).error
    return { status, code, param, message }
  }
  const walk = (noun: string, query: string) =>
    walkPages((cursor) => read(`${noun}/stamps?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`))

  test.each(nouns)(
    'of %s are id and updatedAt of each row that the list shows, in the order of the ids',
    async (noun) => {
      const listed = (await read(`${noun}?limit=100`)).data
      const expected = listed
        .map(({ id, updatedAt }) => ({ id, updatedAt }))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      expect(expected).toHaveLength(12)
      expect(await read(`${noun}/stamps`)).toEqual({ data: expected, has_more: false, next_cursor: null })
      expect(await walk(noun, 'limit=5')).toEqual(expected)
      expect(await walk(noun, 'limit=12')).toEqual(expected)
    },
  )

  test.each(nouns)(
    'of %s: a prefix of the id narrows them, whatever its case, also from page to page',
    async (noun) => {
      const all = (await read(`${noun}/stamps`)).data
      const digits = [...'0123456789abcdef']
      const byDigit = await Promise.all(digits.map((digit) => walk(noun, `prefix=${digit}&limit=1`)))
      expect(byDigit.flat()).toEqual(all)
      const [first] = all
      for (const length of [2, 8]) {
        const prefix = first?.id.slice(0, length) ?? ''
        const expected = all.filter(({ id }) => id.startsWith(prefix))
        expect((await read(`${noun}/stamps?prefix=${prefix.toUpperCase()}`)).data).toEqual(expected)
      }
      expect((await read(`${noun}/stamps?prefix=`)).data).toEqual(all)
    },
  )

  test.each(nouns)('of %s: a malformed prefix or limit is 400 and named', async (noun) => {
    for (const prefix of ['g', '0x', 'a7%20', '012345678', '-', '%00', '%C3%A9']) {
      const told = { status: 400, code: 'invalid_request', param: 'prefix' }
      expect(await refusalOf(`${noun}/stamps?prefix=${prefix}`)).toMatchObject(told)
    }
    for (const limit of ['0', '-1', 'x', '']) {
      const told = { status: 400, code: 'invalid_request', param: 'limit' }
      expect(await refusalOf(`${noun}/stamps?limit=${limit}`)).toMatchObject(told)
    }
    expect(await refusalOf(`${noun}/stamps?limit=1&limit=2`)).toMatchObject({ status: 400, param: 'limit' })
    expect((await read(`${noun}/stamps?limit=99999&x=y`)).data).toHaveLength(12)
  })

  test.each(nouns)('of %s: a cursor of another list, prefix or shop is 400 and named', async (noun) => {
    const { next_cursor: own } = await read(`${noun}/stamps?limit=1`)
    const { next_cursor: ofList } = await read(`${noun}?limit=1`)
    const others = await Promise.all(
      nouns.filter((other) => other !== noun).map((other) => read(`${other}/stamps?limit=1`)),
    )
    const wrong = [ofList, ...others.map(({ next_cursor }) => next_cursor), '', 'x', `${own}A`]
    const told = { status: 400, code: 'invalid_request', param: 'cursor' }
    for (const cursor of wrong) expect(await refusalOf(`${noun}/stamps?cursor=${cursor}`)).toMatchObject(told)
    expect(await refusalOf(`${noun}/stamps?prefix=a&cursor=${own}`)).toMatchObject(told)
    expect(await refusalOf(`${noun}?cursor=${own}`)).toMatchObject(told)
    const foreign = await stack.get(`/api/v1/${noun}/stamps?cursor=${own}`, { key: strangerKey })
    expect(foreign.status).toBe(400)
    expect((await read(`${noun}/stamps?prefix=&cursor=${own}&limit=100`)).data).toHaveLength(11)
  })

  test('of another shop are not shown', async () => {
    for (const noun of nouns) {
      const { body } = await stack.get(`/api/v1/${noun}/stamps`, { key: strangerKey })
      expect(body).toEqual({ data: [], has_more: false, next_cursor: null })
    }
  })

  test('a key that does not reach a resource does not reach its stamps', async () => {
    const restricted = { name: 'limited', access: 'read', resources: ['contacts'] }
    const { secret } = (await stack.admin('POST', `/shops/${shopId}/keys`, restricted)).data as { secret: string }
    const statusOf = async (noun: string) => (await stack.get(`/api/v1/${noun}/stamps`, { key: secret })).status
    expect(await Promise.all(nouns.map(statusOf))).toEqual([403, 403, 200])
  })

  test('a page of 5,000 stamps is one answer, and the next page goes on behind it', async () => {
    const { id: ownShop } = await stack.makeShop()
    const { secret } = await stack.makeKey(ownShop)
    const { id } = await stack.makeContact(ownShop, { email: 'ada@example.com' })
    await database.query(
      `insert into contacts.contacts select copied.* from contacts.contacts c cross join generate_series(1, 6000) n,
         jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'email_key', n::text, 'phone', null)) copied
       where c.id = $1`,
      [id],
    )
    const page = async (query: string) =>
      (await stack.get(`/api/v1/contacts/stamps?${query}`, { key: secret })).body as Page<Stamp>
    const first = await page('limit=5000')
    const next = await page(`limit=5000&cursor=${first.next_cursor}`)
    expect([first, next].map(({ data, has_more }) => [data.length, has_more])).toEqual([
      [5_000, true],
      [1_001, false],
    ])
    const ids = [...first.data, ...next.data].map((stamp) => stamp.id)
    expect(ids).toEqual([...new Set(ids)].toSorted())
    expect((await page('')).data).toEqual(first.data.slice(0, 1_000))
  })
})
