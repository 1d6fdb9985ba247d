// Every counted call arrives once, whatever message is lost (docs/spec/back-office.md#usage).
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { type Admission, openAdmission } from '#testing/product/admission'
import { makeCaller } from '#testing/product/one-service'
import { openUsage } from './usage.ts'

let admission: Admission
beforeAll(async () => {
  admission = await openAdmission()
})
afterAll(() => admission.close())
beforeEach(() => {
  admission.tap = {}
})

const minute = Math.floor(Date.now() / 60_000) * 60_000
const one = makeCaller({ keyId: randomUUID() })
const read = async (shopId: string) =>
  JSON.parse(String(await admission.call('usage.list', {}, { caller: makeCaller({ shopId }) })))

test('calls are added by key and minute, over several gateways', async () => {
  let now = minute
  const [first, second] = ['a', 'b'].map((nodeId) => openUsage({ call: admission.call, nodeId, now: () => now }))
  for (let call = 0; call < 10; call += 1) first?.count(one, call === 9)
  second?.count(one, false)
  now -= 60_000
  first?.count(one, false)
  await Promise.all([first?.stop(), second?.stop()])
  const usage = { object: 'usage', keyId: one.keyId }
  expect(await read(one.shopId)).toEqual({
    data: [
      { ...usage, minute: new Date(minute - 60_000).toISOString(), calls: 1, refused: 0 },
      { ...usage, minute: new Date(minute).toISOString(), calls: 11, refused: 1 },
    ],
    has_more: false,
    next_cursor: null,
  })
})

test('a batch whose answer was lost is sent again and added once; calls counted in between are not lost', async () => {
  const caller = makeCaller({ keyId: randomUUID() })
  const usage = openUsage({ call: admission.call, nodeId: 'a', now: () => minute })
  let lose = 2
  admission.tap.after = async () => {
    if (lose-- > 0) throw new Error('lost')
  }
  usage.count(caller, false)
  expect(await usage.flush()).toBe(false)
  usage.count(caller, true)
  expect(await usage.flush()).toBe(false)
  expect(await usage.flush()).toBe(true)
  await usage.stop()
  expect((await read(caller.shopId)).data).toMatchObject([{ calls: 2, refused: 1 }])
})

test('calls of the back office are not counted as calls of a key', async () => {
  const caller = makeCaller({ keyId: null })
  const usage = openUsage({ call: admission.call, nodeId: 'a', now: () => minute })
  usage.count(caller, false)
  await usage.stop()
  expect((await read(caller.shopId)).data).toEqual([])
})
