// POST /contacts/{id}/tags (docs/spec/rest-api.md#change-tags). Unknown ids and malformed bodies: every-route.test.ts.
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Contact } from '#contracts/objects/contact'
import { duringTests } from '#testing/during-tests'
import type { Made } from '#testing/product/back-office'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

describe.each(forms)('POST /contacts/{id}/tags, %s', (form) => {
  const stack = duringTests(() => openStack({ form, replicas: { 'rest-gateway': 2, contacts: 2 } }))
  let shopId: string
  let key: string
  let ada: Made

  beforeEach(async () => {
    shopId = (await stack.makeShop()).id
    key = (await stack.makeKey(shopId, 'write')).secret
    ada = await stack.makeContact(shopId, { email: 'ada@example.com', tags: ['b', 'a'] })
  })

  const post = (json: object, gateway = 0) => stack.post(`/api/v1/contacts/${ada.id}/tags`, { key, json, gateway })
  const change = async (json: object): Promise<Contact> => {
    const { status, body } = await post(json)
    expect({ status, body }).toMatchObject({ status: 200 })
    return (body as { data: Contact }).data
  }
  const refused = async (json: object) => {
    const { status, body } = await post(json)
    return [status, (body as { error: { code: string; message: string } }).error]
  }
  const invalid = (message: string) => [400, expect.objectContaining({ code: 'invalid_request', message })]
  const now = async () => (await stack.get(`/api/v1/contacts/${ada.id}`, { key })).body as { data: Contact }

  test('adds and takes off, and answers the contact as GET does', async () => {
    const { status, text } = await post({ add: [' VIP ', 'b'], remove: ['A', 'absent'] })
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ data: { id: ada.id, tags: ['b', 'vip'] } })
    expect((await stack.get(`/api/v1/contacts/${ada.id}`, { key })).text).toBe(text)
    const listed = async (tag: string) =>
      ((await stack.get(`/api/v1/contacts?tag=${tag}`, { key })).body as { data: unknown[] }).data.length
    expect([await listed('vip'), await listed('a')]).toEqual([1, 0])
  })

  test('either list may be missing or null, and other fields are ignored', async () => {
    expect((await change({ add: ['c'] })).tags).toEqual(['b', 'a', 'c'])
    expect((await change({ remove: ['c'], add: null })).tags).toEqual(['b', 'a'])
    expect((await change({ add: ['c'], remove: [], tags: [], id: 'x', email: 'x' })).tags).toEqual(['b', 'a', 'c'])
  })

  test('what changes nothing moves nothing, so a retry is safe', async () => {
    const changed = await change({ add: ['c'], remove: ['a'] })
    expect(changed.updatedAt > String(ada.updatedAt)).toBe(true)
    expect(await change({ add: ['C'], remove: ['A'] })).toEqual(changed)
    expect(await change({ remove: ['absent'] })).toEqual(changed)
  })

  test('a tag both added and taken off goes off', async () => {
    expect((await change({ add: ['c', 'a'], remove: ['C', 'a'] })).tags).toEqual(['b'])
  })

  test('no usable tag is refused', async () => {
    const none = invalid('add or remove must hold at least one tag.')
    for (const body of [{}, { add: [], remove: [] }, { add: null, remove: null }, { tags: ['c'] }]) {
      expect(await refused(body)).toEqual(none)
    }
    expect(await refused({ add: [] })).toEqual(invalid('add must hold at least one tag.'))
    expect(await refused({ add: null, remove: [] })).toEqual(invalid('remove must hold at least one tag.'))
    const nothing = invalid('A tag must hold at least one visible character.')
    for (const tag of ['', ' ', '\u200b', '\u2003\u00ad']) {
      expect(await refused({ add: [tag] })).toEqual(nothing)
      expect(await refused({ remove: [tag] })).toEqual(nothing)
      expect(await refused({ add: ['c', tag] })).toEqual(nothing)
    }
    expect((await now()).data.tags).toEqual(['b', 'a'])
  })

  test('values of the wrong type and labels that are texts are refused by name', async () => {
    expect(await refused({ add: 'vip' })).toEqual(invalid('add must be a list.'))
    expect(await refused({ add: ['vip'], remove: {} })).toEqual(invalid('remove must be a list.'))
    expect(await refused({ add: [1] })).toEqual(invalid('add[0] must be text.'))
    expect(await refused({ add: ['x'.repeat(65)] })).toEqual(invalid('A tag must be at most 64 characters long.'))
    expect((await change({ add: ['🦊'.repeat(64)] })).tags).toHaveLength(3)
  })

  test('a contact holds 250 tags', async () => {
    const numbered = (count: number) => Array.from({ length: count }, (_nothing, index) => `tag ${index}`)
    expect((await change({ add: numbered(248) })).tags).toHaveLength(250)
    const full = invalid('tags must not be more than 250 on one contact.')
    expect(await refused({ add: ['one more'] })).toEqual(full)
    expect((await change({ add: ['one more'], remove: ['a'] })).tags).toHaveLength(250)
    expect((await change({ add: ['tag 1'] })).tags).toHaveLength(250)
  })

  test('calls at once, over two gateways, lose nothing', async () => {
    const calls = Array.from({ length: 40 }, (_nothing, index) =>
      post(
        index % 2 === 0 ? { add: [`tag ${index}`] } : { add: [`tag ${index}`], remove: ['a'] },
        index % stack.ports.length,
      ),
    )
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]))
    const { data } = await now()
    expect(data.tags).toHaveLength(41)
    expect(data.tags).not.toContain('a')
  })

  test('a consent is not touched', async () => {
    ada = await stack.makeContact(shopId, { email: 'bob@example.com', marketingConsentAt: '2026-02-03T04:05:06.789Z' })
    expect(await change({ add: ['c'] })).toMatchObject({ marketingConsentAt: '2026-02-03T04:05:06.789Z' })
  })
})
