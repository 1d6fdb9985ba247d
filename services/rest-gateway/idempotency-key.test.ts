// `Idempotency-Key` on the two public writes: one effect and one answer for one key. docs/spec/rest-api.md#idempotency-key
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { adminRequest } from '#testing/admin-requests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

describe.each(forms)('Idempotency-Key of a public write, %s', (form) => {
  const stack = duringTests(() => openStack({ form, replicas: { 'rest-gateway': 2, contacts: 2 } }))
  let shop: string
  let keys: string[]

  beforeAll(async () => {
    shop = (await stack.makeShop()).id
    keys = [(await stack.makeKey(shop, 'write')).secret, (await stack.makeKey(shop, 'write')).secret]
  })

  const post = (path: string, json: object, idempotencyKey: string, gateway = 0) =>
    stack.post(`/api/v1${path}`, {
      key: keys[gateway % 2] ?? null,
      json,
      headers: { 'idempotency-key': idempotencyKey },
      gateway: gateway % stack.ports.length,
    })
  const idOf = ({ body }: { body: unknown }) => (body as { data: { id: string } }).data.id
  const email = () => `${randomUUID()}@example.com`

  test('the first answer comes again, for 20 calls at once over two gateways and two API keys, and later', async () => {
    const [person, key] = [{ email: email(), tags: ['a'] }, randomUUID()]
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post('/contacts', person, key, index)))
    const first = answers[0]?.text
    expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(20).fill([200, first]))
    const id = idOf(answers[0] ?? { body: null })
    await post(`/contacts/${id}/tags`, { add: ['b'] }, randomUUID())
    expect((await post('/contacts', person, key)).text).toBe(first)
    const { body } = await stack.get(`/api/v1/contacts/${id}`, { key: keys[0] ?? null })
    expect(body).toMatchObject({ data: { tags: ['a', 'b'] } })
  })

  test('tags that were taken off since are not added again', async () => {
    const id = idOf(await post('/contacts', { email: email() }, randomUUID()))
    const key = randomUUID()
    const first = await post(`/contacts/${id}/tags`, { add: ['vip'] }, key)
    await post(`/contacts/${id}/tags`, { remove: ['vip'] }, randomUUID())
    expect((await post(`/contacts/${id.toUpperCase()}/tags`, { add: ['vip'] }, key, 1)).text).toBe(first.text)
    const { body } = await stack.get(`/api/v1/contacts/${id}`, { key: keys[0] ?? null })
    expect(body).toMatchObject({ data: { tags: [] } })
  })

  test('with another body or path, or of the back office, it is a conflict and nothing is done', async () => {
    const [person, key] = [{ email: email() }, randomUUID()]
    const id = idOf(await post('/contacts', person, key))
    const headers = { 'idempotency-key': key }
    for (const { status, body } of [
      await post('/contacts', { ...person, tags: ['x'] }, key),
      await post(`/contacts/${id}/tags`, { add: ['x'] }, key),
      await adminRequest(stack, 'POST', `/shops/${shop}/contacts`, { body: { ...person, tags: ['x'] }, headers }),
    ]) {
      expect({ status, body }).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    }
    const { body } = await stack.get(`/api/v1/contacts/${id}`, { key: keys[0] ?? null })
    expect(body).toMatchObject({ data: { tags: [] } })
  })

  test('a refused call leaves it unused, another shop may use it, and a bad one is 400', async () => {
    const [key, person] = [randomUUID(), { email: email() }]
    expect((await post('/contacts', { email: 'no email' }, key)).status).toBe(400)
    expect((await post(`/contacts/${randomUUID()}/tags`, { add: ['x'] }, key)).status).toBe(404)
    const id = idOf(await post('/contacts', person, key))
    const { secret } = await stack.makeKey((await stack.makeShop()).id, 'write')
    const other = await stack.post('/api/v1/contacts', {
      key: secret,
      json: person,
      headers: { 'idempotency-key': key },
    })
    expect([other.status, idOf(other) === id]).toEqual([200, false])
    expect((await post('/contacts', person, 'x'.repeat(256))).status).toBe(400)
  })

  test('of 20 calls at once that ask for the opt-in mail brings one answer, which says that the mail went out', async () => {
    const [person, key] = [{ email: email(), sendOptIn: true }, randomUUID()]
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post('/contacts', person, key, index)))
    const first = answers[0]?.text ?? ''
    expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(20).fill([200, first]))
    expect(JSON.parse(first)).toMatchObject({ data: { optInSent: true } })
  })

  test('of a call that sent the opt-in mail brings the same answer and no second mail', async () => {
    const [person, key] = [{ email: email(), sendOptIn: true }, randomUUID()]
    const first = await post('/contacts', person, key)
    expect(first.body).toMatchObject({ data: { optInSent: true } })
    expect((await post('/contacts', person, key, 1)).text).toBe(first.text)
    expect((await post('/contacts', person, randomUUID())).body).toMatchObject({ data: { optInSent: false } })
  })
})
