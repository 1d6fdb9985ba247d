// The actions of API keys. docs/spec/back-office.md#api-keys, docs/spec/security.md#api-keys
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Caller } from '#contracts/caller'
import { deriveKeys } from '#config/derive-key'
import { everyRow } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { makeCaller, openService } from '#testing/product/one-service'
import { digestsOf } from './key.ts'
import { auth } from '../service.ts'

type Json = Record<string, unknown>
const service = duringTests(() => openService(auth))
let caller: Caller
beforeEach(async () => {
  const shop = { handle: `shop-${randomUUID().slice(0, 8)}`, name: 'A shop', currency: 'GBP', timeZone: 'UTC' }
  const { data } = JSON.parse(String(await service.call('shops.create', { shop })))
  caller = makeCaller({ shopId: data.id })
})

const create = async (facts: Json = {}, meta: Json = {}): Promise<Json> => {
  const key = { name: 'till', access: 'read', ...facts } as never
  return JSON.parse(String(await service.call('keys.create', { key }, { caller, ...meta }))).data
}
const list = async (page: Json = {}) => JSON.parse(String(await service.call('keys.list', page, { caller })))
const revoke = async (id: unknown, by = caller) =>
  JSON.parse(String(await service.call('keys.revoke', { id: String(id) }, { caller: by }))).data

describe('a new key', () => {
  test('is returned with its secret, which the list never shows', async () => {
    const key = await create({ name: ' till ', access: 'write' })
    const secret = String(key.secret)
    const shown = {
      id: key.id,
      object: 'api_key',
      name: 'till',
      access: 'write',
      prefix: secret.slice(0, 12),
      lastFour: secret.slice(-4),
      lastUsedAt: null,
      createdAt: key.createdAt,
      revokedAt: null,
      expiresAt: null,
      allowedSources: null,
      resources: null,
    }
    expect(secret).toMatch(/^sfk_[0-9A-Za-z]{49}$/)
    expect(key).toEqual({ ...shown, secret })
    expect(await list()).toEqual({ data: [shown], has_more: false, next_cursor: null })
  })

  test('is in no column of the database, its HMAC aside', async () => {
    const idempotency = { key: randomUUID(), fingerprint: 'a' }
    const secret = String((await create({}, { idempotency })).secret)
    const hex = Buffer.from(secret).toString('hex')
    const rows = await everyRow(service.url)
    expect(rows.filter((row) => row.includes(secret) || row.includes(hex))).toEqual([])
  })

  test.each([
    [{ access: 'admin' }, 'access must be one of read, write.'],
    [{ access: undefined }, 'access must be one of read, write.'],
    [{ name: '' }, 'name must not be empty.'],
    [{ scope: 'x' }, 'scope is not a field of this object.'],
  ])('%j is 400 and names the field', async (facts, message) => {
    await expect(create(facts)).rejects.toMatchObject({ type: 'invalid_request', message })
  })
})

describe('five live keys', () => {
  test('50 asked for at once give exactly five, the others are refused', async () => {
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => create()))
    const refused = all.filter((made) => made.status === 'rejected')
    expect(refused).toHaveLength(45)
    for (const { reason } of refused) expect(reason).toMatchObject({ type: 'limit_reached' })
    expect((await list()).data).toHaveLength(5)
  })

  test('a revoked key frees its place', async () => {
    const keys = []
    for (let made = 0; made < 5; made += 1) keys.push(await create())
    await expect(create()).rejects.toMatchObject({ type: 'limit_reached' })
    await revoke(keys[0]?.id)
    await create()
    await expect(create()).rejects.toMatchObject({ type: 'limit_reached' })
  })
})

describe('the list', () => {
  test('is newest first and paged; a cursor of another shop is refused', async () => {
    const made = []
    for (let index = 1; index <= 5; index += 1) made.push((await create({ name: `key ${index}` })).id)
    const first = await list({ limit: 3 })
    const second = await list({ limit: 3, cursor: first.next_cursor })
    const all = [...first.data, ...second.data]
    expect(all.map(({ id }) => id).sort()).toEqual(made.toSorted())
    // Two may be created within one millisecond; then the id decides.
    const position = ({ createdAt, id }: { createdAt: string; id: string }) => `${createdAt} ${id}`
    expect(all.map(position)).toEqual(all.map(position).toSorted().toReversed())
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null])
    caller = makeCaller()
    await expect(list({ cursor: first.next_cursor })).rejects.toMatchObject({ type: 'invalid_request' })
  })
})

describe('revoking', () => {
  test('twice is no error and keeps the first time', async () => {
    const { id } = await create()
    const first = await revoke(id)
    expect(first).toMatchObject({ id, revokedAt: expect.stringMatching(/Z$/) })
    expect(await revoke(id)).toEqual(first)
    expect((await list()).data).toEqual([first])
  })
})

describe('use', () => {
  const admit = (key: unknown) => {
    const request = { source: '192.0.2.1', node: 'test', grant_id: randomUUID(), want: 1, exact: true }
    return service.call('auth.admit', { key: String(key), ...request })
  }

  test('is noted once a minute', async () => {
    const key = await create()
    await admit(key.secret)
    const [{ lastUsedAt }] = (await list()).data
    expect(Math.abs(Date.parse(lastUsedAt) - Date.now())).toBeLessThan(10_000)
    await admit(key.secret)
    expect((await list()).data[0].lastUsedAt).toBe(lastUsedAt)
    await service.db.rows("update api_keys set last_used_at = last_used_at - interval '61 seconds'")
    await admit(key.secret)
    await until(async () => Date.parse((await list()).data[0].lastUsedAt) >= Date.parse(lastUsedAt))
  })

  test('of a key from before a rotation stores its digest under the present secret', async () => {
    const rotated = await openService(auth, {}, { SECRET_KEY_PREVIOUS: 'the secret that was in use before.' })
    try {
      const shop = { handle: 'tea', name: 'Tea', currency: 'GBP', timeZone: 'UTC' }
      const { data } = JSON.parse(String(await rotated.call('shops.create', { shop })))
      const by = makeCaller({ shopId: data.id })
      const made = await rotated.call('keys.create', { key: { name: 'till', access: 'read' } }, { caller: by })
      const { secret } = JSON.parse(String(made)).data
      const [present] = await rotated.db.rows<{ digest: Buffer }>('select digest from api_keys')
      const before = { secretKey: 'the secret that was in use before.', secretKeyPrevious: null }
      await rotated.db.rows('update api_keys set digest = $1', digestsOf(secret, deriveKeys(before, 'api-key')))
      const request = { source: '192.0.2.1', node: 'test', grant_id: randomUUID(), want: 1, exact: true }
      expect(await rotated.call('auth.admit', { key: secret, ...request })).toMatchObject({ decision: 'admitted' })
      expect(await rotated.db.rows('select digest from api_keys')).toEqual([present])
    } finally {
      await rotated.close()
    }
  })
})

describe('rolling a key', () => {
  const roll = async (id: unknown, body: Json = {}) =>
    JSON.parse(String(await service.call('keys.roll', { id: String(id), roll: body }, { caller }))).data as Json

  test('returns a like key and ends the old one after the overlap, unless it ends before', async () => {
    const limited = { allowedSources: ['203.0.113.7', '2001:db8::/32'], resources: ['orders'] }
    const old = await create({ name: 'erp', access: 'write', ...limited })
    const made = await roll(old.id, { overlapSeconds: 60 })
    expect(made).toMatchObject({ name: 'erp', access: 'write', expiresAt: null, resources: ['orders'] })
    expect(made.allowedSources).toEqual(['203.0.113.7/32', '2001:db8::/32'])
    expect(made.secret).not.toBe(old.secret)
    const { data } = await list()
    const shown = data.find(({ id }: Json) => id === old.id)
    const leftMs = Date.parse(String(shown.expiresAt)) - Date.now()
    expect(leftMs > 0 && leftMs <= 60_000).toBe(true)
    const soon = new Date(Date.now() + 30_000).toISOString()
    const ending = await create({ expiresAt: soon })
    await roll(ending.id)
    expect((await list()).data.find(({ id }: Json) => id === ending.id).expiresAt).toBe(soon)
  })

  test('takes no further place among the five, and happens once', async () => {
    const [first] = await Promise.all(Array.from({ length: 5 }, () => create()))
    await roll(first?.id)
    await expect(create()).rejects.toMatchObject({ type: 'limit_reached' })
    await expect(roll(first?.id)).rejects.toMatchObject({ type: 'conflict' })
  })

  test('is refused for a key that is revoked, over, foreign or none, and for a wrong overlap', async () => {
    const { id } = await create()
    await expect(roll(id, { overlapSeconds: -1 })).rejects.toMatchObject({ data: { field: 'overlapSeconds' } })
    await revoke(id)
    await expect(roll(id)).rejects.toMatchObject({ type: 'conflict' })
    await expect(roll(randomUUID())).rejects.toMatchObject({ type: 'not_found' })
    const over = await create()
    await roll(over.id, { overlapSeconds: 0 })
    await expect(roll(over.id)).rejects.toMatchObject({ type: 'conflict' })
  })
})

test.each([
  ['expiresAt in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ['a range that is none', { allowedSources: ['203.0.113.7/33'] }, 'allowedSources[0]'],
  ['no range', { allowedSources: [] }, 'allowedSources'],
  ['21 ranges', { allowedSources: Array.from({ length: 21 }, (_, index) => `10.0.0.${index}`) }, 'allowedSources'],
  ['an unknown resource', { resources: ['orders', 'money'] }, 'resources[1]'],
])('a new key with %s is refused by the name of the field', async (_what, facts, field) => {
  await expect(create(facts)).rejects.toMatchObject({ type: 'invalid_request', data: { field } })
})
