// A process beside services that it calls and that come and go, on real NATS (docs/spec/running.md#readiness).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readConfig } from '#config/config'
import { refusalCode } from '#contracts/errors'
import { openLog } from '#telemetry/log'
import { type Bus, forms, openBus } from '#testing/product/deployment-forms'
import { until } from '#testing/until'
import { type RunningProcess, startProcess } from './process.ts'
import type { ServiceContext, ServiceDefinition } from './service.ts'

const NAMESPACE = 'dependencies'
let bus: Bus
let context: ServiceContext
const running: RunningProcess[] = []

describe.each(forms.filter((form) => form === 'distributed'))('%s', () => {
  beforeAll(async () => {
    bus = await openBus(NAMESPACE)
  })
  afterAll(async () => {
    for (const one of running) await one.stop()
    await bus.stop()
  })

  async function start(service: Partial<ServiceDefinition> & Pick<ServiceDefinition, 'name' | 'schema'>) {
    const config = readConfig(
      { OPS_PORT: '0', NATS_URL: bus.serversOf(service.name).join(','), SECRET_KEY: 'k'.repeat(32) },
      'service',
    )
    const definition = { storage: null, needsAdminToken: false, dependencies: [], ...service }
    const log = openLog('silent', service.name)
    running.push(await startProcess({ services: [definition], settings: config, log, namespace: NAMESPACE }))
  }

  async function operations(path: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${running[0]?.opsPort}${path}`)
    return `${response.status} ${await response.text()}`
  }

  test('a process starts without an optional dependency, says so, and works with it as soon as it is there', async () => {
    await start({
      name: 'catalog',
      optionalDependencies: ['orders'],
      schema(given) {
        context = given
        return {}
      },
    })
    expect(await operations('/readyz')).toBe('200 ready\ndegraded: ["orders"]\n')
    expect(await operations('/metrics')).toContain('storefront_dependency_up{dependency="orders"} 0')
    const refused = await context.call('orders.known', { orders: [] }).catch((error: unknown) => error)
    expect([refusalCode(refused), refused]).toEqual([
      'unavailable',
      expect.objectContaining({ data: { retry_after_s: 2 } }),
    ])

    await start({ name: 'orders', schema: () => ({ actions: { 'orders.known': async () => 'known' } }) })
    await until(async () => (await operations('/readyz')) === '200 ready\n')
    expect(await context.call('orders.known', { orders: [] })).toBe('known')
    expect(await operations('/metrics')).toContain('storefront_dependency_up{dependency="orders"} 1')
  })
})
