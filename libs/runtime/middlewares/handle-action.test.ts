// Reads of one shop do not take all database connections of a service (docs/spec/internals.md#reads-of-one-shop).
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readConfig } from '#config/config'
import type { Caller } from '#contracts/caller'
import { openLog } from '#telemetry/log'
import { until } from '#testing/until'
import { type Claims, openClaims } from '../claims.ts'
import { type RunningProcess, startProcess } from '../process.ts'
import type { ServiceDefinition } from '../service.ts'

let running: RunningProcess
let claims: Claims
let underWay: { shop: string; answer(): void }[]

const service: ServiceDefinition = {
  name: 'orders',
  storage: null,
  needsAdminToken: false,
  dependencies: [],
  schema: () => ({
    actions: {
      'orders.list': ({ locals }) =>
        new Promise((resolve) => underWay.push({ shop: locals.caller.shopId, answer: () => resolve('answered') })),
    },
  }),
}

beforeEach(async () => {
  underWay = []
  const config = readConfig({ OPS_PORT: '0', PORT: '0', ADMIN_PORT: '0' }, 'embedded')
  const settings = { ...config, secretKey: 'a secret of at least 32 characters.' }
  claims = openClaims(settings)
  running = await startProcess({ services: [service], settings, log: openLog('silent', 'orders') })
})
afterEach(() => running.stop())

function call(shopId: string, is_read = true): Promise<unknown> {
  const claim = claims.sign({ caller: { shopId } as Caller })
  return running.broker.call('orders.list', {}, { meta: { claim, is_read } })
}

test('two reads of a shop are under way at a time, the others wait in their order; other shops and calls do not', async () => {
  const reads = Array.from({ length: 5 }, () => call('a'))
  const others = [call('b'), call('c'), call('a', false)]
  await until(() => underWay.length === 5)
  expect(underWay.map(({ shop }) => shop).toSorted()).toEqual(['a', 'a', 'a', 'b', 'c']) // One of `a` is no read.
  for (let answered = 0; answered < 8; answered += 1) {
    const next = await until(() => underWay.shift())
    next.answer()
    await nextTurn()
    expect(underWay.filter(({ shop }) => shop === 'a').length).toBeLessThanOrEqual(3)
  }
  expect(await Promise.all([...reads, ...others])).toEqual(Array.from({ length: 8 }, () => 'answered'))
})
