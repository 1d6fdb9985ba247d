// Guarantees of reverse-proxy.ts: what a rolling restart shows of the product is not hidden by the proxy.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { until } from './program.ts'
import type { Process } from './process.ts'
import { openReverseProxy, type ReverseProxy } from './reverse-proxy.ts'

const servers: Server[] = []
let proxy: ReverseProxy
afterEach(async () => {
  await proxy.stop()
  for (const server of servers.splice(0)) server.close()
})

/** A gateway that answers with its name; `state` is its readiness, and whether it closes the connection instead. */
async function gateway(service: string, number: number) {
  const state = { isReady: true, closes: false, requests: 0 }
  const server = createServer((request, response) => {
    state.requests += 1
    if (state.closes) request.socket.destroy()
    else response.end(`${service} ${number} ${request.url}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const own = { service, number, url, isReady: async () => state.isReady }
  return { process: own as Process, state }
}

async function open() {
  const all = await Promise.all([gateway('rest-gateway', 0), gateway('rest-gateway', 1), gateway('mcp-gateway', 0)])
  const of = (service: string) => all.map(({ process }) => process).filter((process) => process.service === service)
  proxy = await openReverseProxy({ of })
  return all.map(({ state }) => state) as [State, State, State]
}
type State = Awaited<ReturnType<typeof gateway>>['state']

const get = async (path: string) => (await fetch(proxy.url + path)).text()

test('each gateway gets its paths, and its replicas take turns', async () => {
  await open()
  const answers = [await get('/api/v1/shop'), await get('/api/v1/shop')]
  expect(answers.toSorted()).toEqual(['rest-gateway 0 /api/v1/shop', 'rest-gateway 1 /api/v1/shop'])
  expect(await get('/api/mcp')).toBe('mcp-gateway 0 /api/mcp')
})

test('a replica that is not ready gets no request until it is ready', async () => {
  const [first] = await open()
  first.isReady = false
  await until(async () => {
    const before = first.requests
    for (let time = 0; time < 4; time += 1) await get('/api/v1/shop')
    return first.requests === before
  }, 10_000)
  first.isReady = true
  await until(async () => {
    const before = first.requests
    await get('/api/v1/shop')
    return first.requests > before
  }, 10_000)
})

test('a request that a gateway fails is answered with 502 and not repeated', async () => {
  const [first, second] = await open()
  first.closes = true
  second.closes = true
  expect((await fetch(`${proxy.url}/api/v1/shop`)).status).toBe(502)
  expect(first.requests + second.requests).toBe(1)
  expect(proxy.failures).toEqual([expect.stringMatching(/^rest-gateway \d, GET \/api\/v1\/shop: socket hang up$/)])
})
