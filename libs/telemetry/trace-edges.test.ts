// Tracing without a collector, with a collector that is away, and at the end of a process.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { childEnv } from '#testing/child-env'
import { type Collector, openCollector } from '#testing/servers/collector'
import { describeWhere } from '#testing/where-possible'
import { readConfig } from '#config/config'
import type { ServiceContext, ServiceDefinition } from '#runtime/service'
import { openLog } from './log.ts'
import { findNatsServer, startNatsServer } from '#local-servers/nats-server'
import { type RunningProcess, startProcess } from '#runtime/process'
import { traceFieldsOf } from './trace-context.ts'

const program = findNatsServer(process.env.PATH ?? '')
const withNats = describeWhere(program !== null, 'a bus of its own needs nats-server on the PATH.')

type Traced = {
  context: ServiceContext
  running: RunningProcess
  lines: Record<string, unknown>[]
  metrics(): Promise<string>
}
const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).toReversed()) await end()
})

/** One service in this process that answers shop.get, traced as the environment says. */
async function start(env: Record<string, string>, answer: () => Promise<unknown>): Promise<Traced> {
  const config = readConfig({ PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0', ...env }, 'embedded')
  const settings = { ...config, secretKey: 'k'.repeat(32) }
  const lines: Record<string, unknown>[] = []
  const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const log = openLog('info', 'test', sink, traceFieldsOf(settings))
  let context: ServiceContext | null = null
  const service: ServiceDefinition = {
    name: 'answerer',
    storage: null,
    needsAdminToken: false,
    dependencies: [],
    schema(own) {
      context = own
      return { actions: { 'shops.find': answer } }
    },
  }
  const running = await startProcess({ services: [service], settings, log })
  cleanUp.push(() => running.stop())
  if (context === null) throw new Error('The service was not opened.')
  const metrics = async () => (await fetch(`http://127.0.0.1:${running.opsPort}/metrics`)).text()
  return { context, running, lines, metrics }
}

async function collecting(hangs = false): Promise<Collector> {
  const collector = await openCollector({ hangs })
  cleanUp.push(() => collector.close())
  return collector
}

describe('calls', () => {
  test('a failed action is recorded by its code, never by its message; its log line names the trace', async () => {
    const collector = await collecting()
    const fails = () => Promise.reject(Object.assign(new Error('planted words'), { code: '23505' }))
    const { context, lines } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, fails)
    await expect(context.call('shops.find', { shop: 'tea' })).rejects.toThrow('planted words')
    const spans = await collector.trace((all) => all.length === 2)
    const action = spans.find(({ kind }) => kind === 'server')
    expect(action).toMatchObject({ name: 'shops.find', isFailed: true, facts: { 'error.type': '23505' } })
    expect(spans.find(({ kind }) => kind === 'client')).toMatchObject({ isFailed: true, parentSpanId: '' })
    expect(lines.find(({ msg }) => msg === 'action failed')).toMatchObject({
      trace_id: action?.traceId,
      span_id: action?.spanId,
    })
    expect(collector.said()).not.toContain('planted')
  })

  test.each([
    ['always_off', undefined, 0],
    ['traceidratio', '0', 0],
    ['parentbased_always_on', undefined, 40],
    ['parentbased_traceidratio', '1', 40],
  ])('the sampler %s %s keeps what it says', async (sampler, part, kept) => {
    const collector = await collecting()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: sampler }
    const { context, running } = await start({ ...env, OTEL_TRACES_SAMPLER_ARG: part ?? '' }, async () => 'a shop')
    for (let call = 0; call < 20; call += 1) await context.call('shops.find', { shop: 'tea' })
    await running.stop()
    expect(collector.spans).toHaveLength(kept)
  })

  test('a ratio sampler keeps whole traces', async () => {
    const collector = await collecting()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }
    const { context, running } = await start({ ...env, OTEL_TRACES_SAMPLER_ARG: '0.5' }, async () => 'a shop')
    for (let call = 0; call < 200; call += 1) await context.call('shops.find', { shop: 'tea' })
    await running.stop()
    const traces = Object.values(Object.groupBy(collector.spans, ({ traceId }) => traceId))
    expect(traces.filter((spans) => spans?.length !== 2)).toEqual([])
    expect(traces.length).toBeGreaterThan(50) // One in two of 200; less than 50 comes once in more than 10^12.
    expect(traces.length).toBeLessThan(150)
  })
})

describe('a collector that is away', () => {
  const away = {
    refuses: async () => 'http://127.0.0.1:9', // No test listens there.
    hangs: async () => (await collecting(true)).url,
  }

  test.each(['refuses', 'hangs'] as const)('and %s fails no call, holds none up and delays no stop', async (how) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await away[how]() }
    const { context, running } = await start(env, async () => 'a shop')
    // Calls that waited for one that hangs would use up the time of this test.
    for (let call = 0; call < 2_000; call += 1) {
      expect(await context.call('shops.find', { shop: 'tea' })).toBe('a shop')
    }
    const began = performance.now()
    await running.stop()
    expect(performance.now() - began).toBeLessThan(4_000)
  })

  test('is reported once, dropped spans are counted, and the queue is bounded', async () => {
    const { context, lines, metrics } = await start(
      { OTEL_EXPORTER_OTLP_ENDPOINT: await away.hangs() },
      async () => 'shop',
    )
    for (let call = 0; call < 1_500; call += 1) await context.call('shops.find', { shop: 'tea' })
    // 3000 spans, of which 2048 may wait.
    const [, dropped] = /storefront_spans_total\{outcome="dropped"\} (\d+)/.exec(await metrics()) ?? []
    expect(Number(dropped)).toBeGreaterThanOrEqual(952)
    const said = lines.filter(({ msg }) => String(msg).startsWith('spans are dropped'))
    expect(said).toHaveLength(1)
  })
})

describe('loading', () => {
  const services = JSON.stringify(join(import.meta.dirname, '../../deploy/services.ts'))
  const script = (then: string) => `
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({
      resolve(name, context, next) {
        const found = next(name, context)
        const [, one] = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(found.url) ?? []
        if (one !== undefined) loaded.add(one)
        return found
      },
    })
    await import(${services})
    const { readConfig } = await import(${JSON.stringify(join(import.meta.dirname, '../config/config.ts'))})
    const { openLog } = await import(${JSON.stringify(join(import.meta.dirname, 'log.ts'))})
    const { startProcess } = await import(${JSON.stringify(join(import.meta.dirname, '../runtime/process.ts'))})
    const settings = { ...readConfig(process.env, 'embedded'), secretKey: 'k'.repeat(32) }
    const service = { name: 'one', storage: null, needsAdminToken: false, dependencies: [], schema: () => ({}) }
    const running = await startProcess({ services: [service], settings, log: openLog('silent', 'one') })
    await running.stop()
    ${then}`

  async function loadedWith(env: Record<string, string>): Promise<unknown> {
    const told = script('process.stdout.write(JSON.stringify([...loaded].sort()))')
    const { said } = await end(told, { OPS_PORT: '0', ...env })
    return JSON.parse(said)
  }

  test('without a collector a process loads nothing of OpenTelemetry but what prom-client loads', async () => {
    expect(await loadedWith({})).toEqual(['@opentelemetry/api'])
  })

  test('with a collector a process loads OpenTelemetry', async () => {
    const collector = await collecting()
    expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).toEqual(
      expect.arrayContaining(['@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/sdk-trace']),
    )
  })
})

withNats('a service as a process of its own', () => {
  test('sends the remaining spans before it ends, and continues the trace of another process', async () => {
    const collector = await collecting()
    const nats = await startNatsServer(program ?? '')
    cleanUp.push(() => nats.stop())
    const main = JSON.stringify(join(import.meta.dirname, '../runtime/main.ts'))
    const env = { NATS_URL: nats.url, SECRET_KEY: 'k'.repeat(32), OPS_PORT: '0', LOG_LEVEL: 'silent' }
    const traced = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const answering = `import { runService } from ${main}
      const actions = { async 'shops.find'() { setTimeout(() => process.kill(process.pid, 'SIGTERM'), 50); return 'a shop' } }
      await runService({ name: 'answering', storage: null, needsAdminToken: false, dependencies: [], schema: () => ({ actions }) })`
    const asking = `import { runService } from ${main}
      const schema = (context) => ({ started: async () => void (await context.call('shops.find', { shop: 'tea' })) })
      await runService({ name: 'asking', storage: null, needsAdminToken: false, dependencies: ['answering'], schema })
      process.kill(process.pid, 'SIGTERM')`
    const ended = await Promise.all([end(answering, traced), end(asking, traced)])
    expect(ended).toEqual([expect.objectContaining({ code: 0 }), expect.objectContaining({ code: 0 })])
    const asked = collector.spans.find(({ service }) => service === 'asking')
    const answered = collector.spans.find(({ service }) => service === 'answering')
    expect(collector.spans).toHaveLength(2)
    expect(asked).toMatchObject({ name: 'shops.find', kind: 'client', parentSpanId: '' })
    expect(answered).toMatchObject({ name: 'shops.find', kind: 'server', traceId: asked?.traceId })
    expect(answered?.parentSpanId).toBe(asked?.spanId)
  })
})

async function end(script: string, env: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const args = ['--input-type=module', '--eval', script]
  const child = spawn(process.execPath, args, { env: { ...childEnv, ...env }, stdio: 'pipe' })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve)) // All that it said is there.
  return { code, said }
}
