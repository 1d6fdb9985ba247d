// The state of the bus on real NATS: calls fail at once while it is away, and everything works again by itself when it is back.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { refusalCode } from '#contracts/errors'
import { punctualMs } from '#testing/lateness'
import { describeWhere } from '#testing/where-possible'
import { natsServers } from './nats-transporter.ts'
import { readConfig } from '#config/config'
import type { ServiceContext, ServiceDefinition } from './service.ts'
import { openLog } from '#telemetry/log'
import { findNatsServer, type NatsServer, startNatsServer } from '#local-servers/nats-server'
import { type RunningProcess, startProcess } from './process.ts'

const program = findNatsServer(process.env.PATH ?? '')
const withNats = describeWhere(program !== null, 'a bus of its own needs nats-server on the PATH.')

withNats('NATS goes away and comes back', () => {
  let nats: NatsServer
  let asking: RunningProcess
  let answering: RunningProcess
  let context: ServiceContext
  let hang = false
  const answerer: ServiceDefinition = {
    name: 'answerer',
    storage: null,
    needsAdminToken: false,
    dependencies: [],
    schema: () => ({
      actions: { 'shops.find': () => (hang ? new Promise(() => undefined) : Promise.resolve('a shop')) },
    }),
  }
  const asker: ServiceDefinition = {
    name: 'asker',
    storage: null,
    needsAdminToken: false,
    dependencies: ['answerer'],
    schema: (own) => {
      context = own
      return {}
    },
  }

  const start = (service: ServiceDefinition) => {
    const config = readConfig({ OPS_PORT: '0', NATS_URL: nats.url, SECRET_KEY: 'k'.repeat(32) }, 'service')
    const settings = { ...config, secretKey: config.secretKey }
    return startProcess({ services: [service], settings, log: openLog('silent', 'test') })
  }

  beforeAll(async () => {
    nats = await startNatsServer(program ?? '')
    ;[answering, asking] = await Promise.all([start(answerer), start(asker)])
  })
  afterAll(async () => {
    await asking.stop()
    await answering.stop()
    await nats.stop()
  })

  test('a replica that stops answers the calls that NATS has already delivered to it', async () => {
    const failures: unknown[] = []
    let isOver = false
    const callers = Array.from({ length: 16 }, async () => {
      while (!isOver)
        await context
          .call('shops.find', { shop: 'tea' }, { timeoutMs: 5_000 })
          .catch((error: unknown) => failures.push(error))
    })
    for (let time = 0; time < 5; time += 1) {
      const leaving = await start(answerer)
      await leaving.stop()
    }
    isOver = true
    await Promise.all(callers)
    expect(failures).toEqual([])
  })

  test('a call in flight and every later one is refused at once, and readiness says why', async () => {
    expect(await context.call('shops.find', { shop: 'tea' })).toBe('a shop')
    expect(await readiness(asking)).toEqual([200, 'ready\n'])
    hang = true
    const timeoutMs = 4_000
    const underWay = context.call('shops.find', { shop: 'tea' }, { timeoutMs })
    underWay.catch(() => undefined) // Looked at below.
    await nats.kill()
    // A call whose time ends is refused with another code.
    expect(refusalCode(await underWay.catch((error: unknown) => error))).toBe('unavailable')
    expect(
      refusalCode(await context.call('shops.find', { shop: 'tea' }, { timeoutMs }).catch((error: unknown) => error)),
    ).toBe('unavailable')
    expect(await readiness(asking)).toEqual([503, 'the bus is not connected\n'])
    expect(await measures(asking)).toContain('storefront_bus_connected 0')
  })

  test('when NATS is back, calls are answered and readiness returns within five seconds', async () => {
    hang = false
    nats = await startNatsServer(program ?? '', nats.port)
    const back = async () => {
      for (const one of [asking, answering]) await until(async () => (await readiness(one))[0] === 200)
      expect(await context.call('shops.find', { shop: 'tea' })).toBe('a shop')
    }
    expect(await punctualMs(back)).toBeLessThan(5_000)
    expect(await measures(asking)).toContain('storefront_bus_connected 1')
  })
})

describe('servers as URLs', () => {
  test('the login and the scheme of a URL are not lost', () => {
    expect(natsServers(['nats://one:4222', 'two'])).toEqual({ servers: ['one:4222', 'two:4222'] })
    expect(natsServers(['tls://me:p%40ss@bus.example:4333'])).toEqual({
      servers: ['bus.example:4333'],
      user: 'me',
      pass: 'p@ss',
      ignoreAuthErrorAbort: true,
      tls: {},
    })
    expect(natsServers(['nats://a-token@bus'])).toEqual({
      servers: ['bus:4222'],
      token: 'a-token',
      ignoreAuthErrorAbort: true,
    })
  })
})

async function readiness({ opsPort }: RunningProcess): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${opsPort}/readyz`)
  return [response.status, await response.text()]
}

async function measures({ opsPort }: RunningProcess): Promise<string> {
  return (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text()
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}
