// The log line of a request: which requests have one, and how long it is. docs/spec/running.md#logs
import { createServer, type Server } from 'node:http'
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import Koa from 'koa'
import { routes } from '#contracts/back-office/routes'
import { routes as restRoutes } from '../services/rest-gateway/routes.ts'
import { tools } from '../services/mcp-gateway/tools/tools.ts'
import { refuse } from '#contracts/errors'
import type { Exchange } from '#http/exchange'
import { respond } from '#http/respond'
import { openLog } from '#telemetry/log'
import { openMetrics } from '#telemetry/metrics'

type Step = (ctx: Koa.ParameterizedContext<Exchange>) => void
const ids = ['request_id', 'shop_id', 'key_id']
const outage = { status: 503, code: 'server_error', message: 'Away.' }

/** Sends so many requests to a gateway and returns the log lines. */
async function linesOf(step: Step, logSample: number, count = 1, name = 'admin-gateway'): Promise<string[]> {
  const lines: string[] = []
  const log = openLog('info', name, { write: (line) => void lines.push(line) })
  const app = new Koa<Exchange>()
  app.use(respond({ gateway: 'admin', log, metrics: openMetrics(), logSample }))
  app.use(step)
  const handle = app.callback()
  const server: Server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (let time = 0; time < count; time += 1) await (await fetch(url, { redirect: 'manual' })).text()
  await new Promise((resolve) => server.close(resolve))
  return lines.filter((line) => line.includes('"msg":"request"'))
}

test('of requests that succeeded the sampled part is logged', async () => {
  const succeed: Step = (ctx) => void (ctx.body = 'done')
  expect(await linesOf(succeed, 1, 5)).toHaveLength(5)
  expect(await linesOf(succeed, 0, 5)).toHaveLength(0)
  const some = (await linesOf(succeed, 0.5, 200)).length
  expect(some).toBeGreaterThan(40)
  expect(some).toBeLessThan(160)
})

test.each<[string, Step]>([
  [
    'a refusal',
    () => {
      throw refuse('not_found', 'No.')
    },
  ],
  [
    'a bug',
    () => {
      throw new Error('It broke.')
    },
  ],
  ['a redirect', (ctx) => ctx.redirect('/elsewhere')],
  [
    'a tool that failed, although its status is 200',
    (ctx) => {
      ctx.body = '{}'
      ctx.state.failure = outage
    },
  ],
])('%s is always logged', async (_name, step) => {
  expect(await linesOf(step, 0, 3)).toHaveLength(3)
})

const longestOf = (paths: string[]) => paths.toSorted((a, b) => b.length - a.length)[0] ?? ''

test.each([
  ['rest-gateway', 200, longestOf(restRoutes.map(({ path }) => `/api/v1${path}`)), {}],
  ['mcp-gateway', 210, longestOf(tools.map(({ name }) => `/api/mcp tools/call ${name}`)), { protocol: '2025-11-25' }],
  ['admin-gateway', 210, longestOf(routes.map(({ path }) => `/admin/v1${path}`)), {}],
])('a line of the %s has at most %d bytes beside its ids, whatever the route', async (name, bytesMax, route, notes) => {
  const step: Step = (ctx) => {
    ctx.body = 'done'
    const caller = { shopId: randomUUID(), keyId: randomUUID() } as Exchange['caller'] & object
    Object.assign(ctx.state, { route, caller, notes })
  }
  const [line = ''] = await linesOf(step, 1, 1, name)
  const fields = Object.entries(JSON.parse(line) as Record<string, unknown>)
  expect(fields.map(([field]) => field)).toEqual(expect.arrayContaining([...ids, ...Object.keys(notes), 'route']))
  const rest = Object.fromEntries(fields.filter(([field]) => !ids.includes(field)))
  expect(Buffer.byteLength(JSON.stringify(rest))).toBeLessThanOrEqual(bytesMax)
})
