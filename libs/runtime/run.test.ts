// Guarantees of run.ts about the end of a process. run.md, "Watching": on SIGTERM readiness goes first.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { readConfig } from '#config/config'
import type { Service } from './house.ts'
import { openLog } from '#telemetry/log'
import { run } from './run.ts'

function makeDoor(): Service {
  const server = createServer((_request, response) => response.end('served'))
  return {
    ...{ name: 'door', storage: null, needsAdminToken: false, calls: [] },
    open: async () => ({
      async listen() {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        return (server.address() as AddressInfo).port
      },
      stop: () => new Promise((resolve) => server.close(() => resolve())),
    }),
  }
}

async function ask(url: string): Promise<[number, string] | 'nobody'> {
  try {
    const response = await fetch(url, { headers: { connection: 'close' } })
    return [response.status, await response.text()]
  } catch {
    return 'nobody'
  }
}

test('a gateway that stops says so first and goes on serving until balancers have heard it', async () => {
  const settings = { ...readConfig({ OPS_PORT: '0' }, 'embedded'), secretKey: 'k'.repeat(32) }
  const running = await run({ services: [makeDoor()], settings, log: openLog('silent', 'door'), noticeMs: 500 })
  const [url, readyz] = [`http://127.0.0.1:${running.ports.door}`, `http://127.0.0.1:${running.opsPort}/readyz`]
  expect([await ask(readyz), await ask(url)]).toEqual([
    [200, 'ready\n'],
    [200, 'served'],
  ])
  const began = performance.now()
  const stopped = running.stop()
  expect([await ask(readyz), await ask(url)]).toEqual([
    [503, 'stopping\n'],
    [200, 'served'],
  ])
  await stopped
  expect(performance.now() - began).toBeGreaterThanOrEqual(499)
  expect([await ask(readyz), await ask(url)]).toEqual(['nobody', 'nobody'])
})

test('a process in which nobody listens stops at once', async () => {
  const settings = { ...readConfig({ OPS_PORT: '0' }, 'embedded'), secretKey: 'k'.repeat(32) }
  const service = { ...makeDoor(), open: async () => ({}) }
  const running = await run({ services: [service], settings, log: openLog('silent', 'door'), noticeMs: 60_000 })
  await running.stop()
}, 30_000)
