// Every counted call and every logged request arrives once, also when any message is lost (docs/spec/request-log.md#usage,
// docs/spec/request-log.md).
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { Errors } from 'moleculer'
import type { ReportedRequest } from '#contracts/actions/usage'
import type { RequestObject } from '#contracts/objects/request'
import { type Admission, openAdmission } from '#testing/product/admission'
import { makeCaller } from '#testing/product/one-service'
import type { Call } from '#runtime/service'
import { openLog } from '#telemetry/log'
import { openUsage } from './usage.ts'

let admission: Admission
beforeAll(async () => {
  admission = await openAdmission({ replicas: 2 })
})
afterAll(() => admission.close())
beforeEach(() => {
  admission.tap = {}
})

const minute = Math.floor(Date.now() / 60_000) * 60_000
const open = (now = () => minute) =>
  openUsage({ call: admission.call, nodeId: 'a', log: openLog('silent', 'usage'), now })
const read = async (shopId: string) =>
  JSON.parse(String(await admission.call('usage.list', {}, { caller: makeCaller({ shopId }) })))
const readRequests = async (shopId: string, filter = {}) =>
  JSON.parse(
    String(await admission.call('requests.list', { limit: 100, ...filter }, { caller: makeCaller({ shopId }) })),
  ) as { data: RequestObject[]; has_more: boolean; next_cursor: string | null; skipped: number }
const failedAt = (shopId: string, at: number, more: Partial<ReportedRequest> = {}): ReportedRequest => ({
  shop_id: shopId,
  key_id: randomUUID(),
  id: randomUUID(),
  at: new Date(at).toISOString(),
  method: 'GET',
  route: '/api/v1/orders',
  tool: null,
  status: 404,
  code: 'not_found',
  message: 'No.',
  duration_ms: 1,
  source: '192.0.2.1',
  ...more,
})
const secondAgo = () => Math.floor(Date.now() / 1_000) * 1_000 - 1_000

test('calls are added by key and minute over several gateways, with their answers and the times of half and most', async () => {
  const [shopId, keyId] = [randomUUID(), randomUUID()]
  let now = minute
  const [first, second] = [open(() => now), open(() => now)]
  for (let call = 1; call <= 90; call += 1) first.count(shopId, keyId, { status: 200, durationMs: 10 })
  for (const status of [202, 404, 400, 429, 500, 503]) second.count(shopId, keyId, { status, durationMs: 200 }, true)
  for (let call = 1; call <= 4; call += 1) second.count(shopId, keyId, { status: 429, durationMs: 0.1 })
  now -= 60_000
  first.count(shopId, keyId, { status: 200, durationMs: 1_000 })
  await Promise.all([first.stop(), second.stop()])
  const [before, present] = (await read(shopId)).data
  const usage = { object: 'usage', keyId }
  expect(before).toEqual({
    ...usage,
    minute: new Date(minute - 60_000).toISOString(),
    calls: 1,
    mcpCalls: 0,
    refused: 0,
    p50Ms: expect.any(Number),
    p95Ms: before.p50Ms,
    answers: { '2xx': 1, '4xx': 0, '429': 0, '5xx': 0 },
  })
  expect(present).toEqual({
    ...usage,
    minute: new Date(minute).toISOString(),
    calls: 100,
    mcpCalls: 6,
    refused: 5,
    p50Ms: expect.any(Number),
    p95Ms: expect.any(Number),
    answers: { '2xx': 91, '4xx': 2, '429': 5, '5xx': 2 },
  })
  for (const [shown, real] of [
    [before.p50Ms, 1_000],
    [present.p50Ms, 10],
    [present.p95Ms, 200],
  ]) {
    expect(Math.abs(shown / real - 1)).toBeLessThan(0.051)
  }
})

test('a batch whose answer was lost is sent again and added once; what came in between is not lost', async () => {
  const [shopId, keyId] = [randomUUID(), randomUUID()]
  const usage = open()
  let lose = 3
  admission.tap.after = async () => {
    if (lose-- > 0) throw new Error('lost')
  }
  usage.count(shopId, keyId, { status: 200, durationMs: 1 })
  usage.log(failedAt(shopId, secondAgo()))
  expect(await usage.flush()).toBe(false)
  usage.count(shopId, keyId, { status: 429, durationMs: 1 })
  usage.log(failedAt(shopId, secondAgo()))
  expect(await usage.flush()).toBe(false)
  expect(await usage.flush()).toBe(false)
  expect(await usage.flush()).toBe(true)
  await usage.stop()
  expect((await read(shopId)).data).toMatchObject([{ calls: 2, refused: 1 }])
  expect(await readRequests(shopId)).toMatchObject({ data: [{}, {}], skipped: 0 })
})

test('ten requests of a second and shop are kept over all gateways and reports; the others are counted exactly', async () => {
  const [shopId, other, at] = [randomUUID(), randomUUID(), secondAgo()]
  const gateways = [open(), open(), open()]
  for (let call = 0; call < 100; call += 1) gateways[call % 3]?.log(failedAt(shopId, at + call))
  gateways[0]?.log(failedAt(shopId, at - 1))
  gateways[0]?.log(failedAt(other, at))
  await Promise.all(gateways.map((gateway) => gateway.flush()))
  gateways[1]?.log(failedAt(shopId, at))
  await Promise.all(gateways.map((gateway) => gateway.stop()))
  const { data, skipped } = await readRequests(shopId)
  expect([data.filter((row) => Date.parse(row.at) >= at).length, data.length, skipped]).toEqual([10, 11, 91])
  expect(await readRequests(other)).toMatchObject({ data: [{}], skipped: 0 })
  expect(await readRequests(shopId, { created_before: new Date(at).toISOString() })).toMatchObject({
    data: [{}],
    skipped: 0,
  })
})

test('requests are filtered by key, status, id and time, newest first and page by page', async () => {
  const [shopId, at] = [randomUUID(), secondAgo()]
  const usage = open()
  const rows = [404, 404, 429, 500].map((status, n) => failedAt(shopId, at - n * 1_000, { status, id: `id-${n}` }))
  for (const row of rows) usage.log(row)
  await usage.stop()
  const idsOf = async (filter: object) => (await readRequests(shopId, filter)).data.map(({ id }) => id)
  expect(await idsOf({})).toEqual(['id-0', 'id-1', 'id-2', 'id-3'])
  expect(await idsOf({ key: rows[1]?.key_id })).toEqual(['id-1'])
  expect(await idsOf({ status: 404 })).toEqual(['id-0', 'id-1'])
  expect(await idsOf({ id: 'id-2' })).toEqual(['id-2'])
  const range = { created_after: new Date(at - 2_000).toISOString(), created_before: new Date(at).toISOString() }
  expect(await idsOf(range)).toEqual(['id-1', 'id-2'])
  const first = await readRequests(shopId, { limit: 3 })
  expect([first.has_more, first.data.length]).toEqual([true, 3])
  expect(await readRequests(shopId, { limit: 3, cursor: first.next_cursor })).toMatchObject({
    data: [{ id: 'id-3' }],
    has_more: false,
    next_cursor: null,
  })
})

test('a request that a gateway with a wrong clock reports is kept, at the present or a day ago', async () => {
  const shopId = randomUUID()
  const usage = open()
  for (const days of [400, -400]) usage.log(failedAt(shopId, Date.now() + days * 86_400_000))
  expect(await usage.flush()).toBe(true)
  await usage.stop()
  const ages = (await readRequests(shopId)).data.map(({ at }) => Math.round((Date.now() - Date.parse(at)) / 3_600_000))
  expect(ages).toEqual([0, 24])
})

test.each([
  ['does not answer', new Errors.RequestTimeoutError({ action: 'usage.record', nodeID: 'n' })],
  ['has no database', Object.assign(new Error('starting up'), { code: '57P03' })],
])('while auth %s, no request is dropped, however long', async (_name, error) => {
  const shopId = randomUUID()
  let isAway = true
  const call: Call = (...params) => (isAway ? Promise.reject(error) : admission.call(...params))
  const usage = openUsage({ call, nodeId: 'a', log: openLog('silent', 'usage') })
  usage.log(failedAt(shopId, secondAgo()))
  for (let flush = 1; flush <= 100; flush += 1) expect(await usage.flush()).toBe(false)
  isAway = false
  await usage.stop()
  expect((await readRequests(shopId)).data).toMatchObject([{ message: 'No.' }])
})

test.each([
  ['that auth refuses is dropped at once', { message: 'x'.repeat(501) }, 1],
  ['of requests that cannot be stored is dropped after thirty failures', { message: 'a\u0000' }, 30],
])('a batch %s, and the others go on', async (_name, bad, flushes) => {
  const [shopId, keyId] = [randomUUID(), randomUUID()]
  const usage = open()
  usage.log(failedAt(shopId, secondAgo(), bad))
  for (let call = 1; call < flushes; call += 1) expect(await usage.flush()).toBe(false)
  expect(await usage.flush()).toBe(true)
  usage.count(shopId, keyId, { status: 404, durationMs: 1 })
  usage.log(failedAt(shopId, secondAgo()))
  expect(await usage.flush()).toBe(true)
  expect((await read(shopId)).data).toMatchObject([{ calls: 1 }])
  expect((await readRequests(shopId)).data).toMatchObject([{ message: 'No.' }])
})
