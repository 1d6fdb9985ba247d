// Guarantees of edge.ts and doors.ts: what a rolling restart shows of the product must not be hidden by the edge.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { until } from '#testing/event-schema'
import { type Edge, openEdge } from './edge.ts'
import type { Replica } from './replicas.ts'

const servers: Server[] = []
let edge: Edge
afterEach(async () => {
  await edge.stop()
  for (const server of servers.splice(0)) server.close()
})

/** A gateway that answers with its name; `state` is what it says of itself, and whether it hangs up on who asks. */
async function gateway(service: string, number: number) {
  const state = { isReady: true, hangsUp: false, asked: 0 }
  const server = createServer((request, response) => {
    state.asked += 1
    if (state.hangsUp) request.socket.destroy()
    else response.end(`${service} ${number} ${request.url}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const replica: Replica = {
    ...{ service, number, url, opsUrl: '', pid: () => 0, ready: async () => undefined, signal: () => undefined },
    isReady: async () => state.isReady,
  }
  return { replica, state }
}

async function open() {
  const all = await Promise.all([gateway('rest-gateway', 0), gateway('rest-gateway', 1), gateway('mcp-gateway', 0)])
  const replicas = all.map(({ replica }) => replica)
  edge = await openEdge({
    all: replicas,
    of: (service) => replicas.filter((replica) => replica.service === service),
    stop: async () => undefined,
  })
  return all.map(({ state }) => state) as [State, State, State]
}
type State = Awaited<ReturnType<typeof gateway>>['state']

const ask = async (path: string) => (await fetch(edge.url + path)).text()

test('each gateway has its paths, and its replicas take turns', async () => {
  await open()
  const answers = [await ask('/api/v1/shop'), await ask('/api/v1/shop')]
  expect(answers.toSorted()).toEqual(['rest-gateway 0 /api/v1/shop', 'rest-gateway 1 /api/v1/shop'])
  expect(await ask('/api/mcp')).toBe('mcp-gateway 0 /api/mcp')
})

test('a replica that is not ready is not asked any more, until it is', async () => {
  const [first] = await open()
  first.isReady = false
  await until(async () => {
    const before = first.asked
    for (let time = 0; time < 4; time += 1) await ask('/api/v1/shop')
    return first.asked === before
  })
  first.isReady = true
  await until(async () => {
    const before = first.asked
    await ask('/api/v1/shop')
    return first.asked > before
  })
})

test('what a gateway fails is failed for the client, once', async () => {
  const [first, second] = await open()
  first.hangsUp = true
  second.hangsUp = true
  expect((await fetch(`${edge.url}/api/v1/shop`)).status).toBe(502)
  expect(first.asked + second.asked).toBe(1)
  expect(edge.broken).toEqual([expect.stringMatching(/^rest-gateway \d, GET \/api\/v1\/shop: socket hang up$/)])
})
