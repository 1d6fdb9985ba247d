// Guarantees about the end of a process (docs/spec/running.md#watching).
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { startProcess } from './process.ts'
import type { ServiceDefinition } from './service.ts'

const settings = { ...readConfig({ OPS_PORT: '0' }, 'embedded'), secretKey: 'k'.repeat(32) }
const log = openLog('silent', 'gateway')

function httpService(): ServiceDefinition {
  const server = createServer((_request, response) => response.end('served'))
  return {
    name: 'gateway',
    storage: null,
    needsAdminToken: false,
    dependencies: [],
    schema: ({ reportPort }) => ({
      async started() {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        reportPort((server.address() as AddressInfo).port)
      },
      stopped: () => new Promise<void>((resolve) => server.close(() => resolve())),
    }),
  }
}

async function get(url: string): Promise<[number, string] | 'refused'> {
  try {
    const response = await fetch(url, { headers: { connection: 'close' } })
    return [response.status, await response.text()]
  } catch {
    return 'refused'
  }
}

test('a gateway that stops loses its readiness first and serves on for the time of the notice', async () => {
  const running = await startProcess({ services: [httpService()], settings, log, noticeMs: 2_000 })
  const [url, readyz] = [`http://127.0.0.1:${running.ports.gateway}`, `http://127.0.0.1:${running.opsPort}/readyz`]
  expect([await get(readyz), await get(url)]).toEqual([
    [200, 'ready\n'],
    [200, 'served'],
  ])
  const began = performance.now()
  const stopped = running.stop()
  expect([await get(readyz), await get(url)]).toEqual([
    [503, 'stopping\n'],
    [200, 'served'],
  ])
  await stopped
  expect(performance.now() - began).toBeGreaterThan(1_900) // A timer counts from the begin of the turn in which it is set.
  expect([await get(readyz), await get(url)]).toEqual(['refused', 'refused'])
})

test('a process in which no service listens stops without a notice', async () => {
  const service = { ...httpService(), schema: () => ({}) }
  const running = await startProcess({ services: [service], settings, log, noticeMs: 600_000 })
  await running.stop()
  expect(await get(`http://127.0.0.1:${running.opsPort}/readyz`)).toBe('refused')
}, 30_000)
