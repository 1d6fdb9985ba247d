// `npm run load`: the k6 stories against the distributed form on this machine, with as many shops and keys as the published
// budget of 240 calls a minute and key requires.
// npm run load [-- --story <name>[,<name>]] [--rate 100] [--seconds 60] [--replicas 2] [--smoke]
// npm run load -- --rolling [--rate 10] [--seconds 300] [--replicas 2] restarts everything in turn meanwhile; no request may
// be reset or answered with 5xx. Needs k6 on the PATH (go install go.k6.io/k6@v1.8.1). Ends with 1 when a bound broke.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Shop } from '../admin-client.ts'
import { ADMIN_TOKEN, type Cluster, isGateway, startCluster } from '../cluster.ts'
import { cpuPerRequest, readCpu } from '../process-usage.ts'
import { print, wholeNumber } from '../program.ts'
import { openReverseProxy } from '../reverse-proxy.ts'
import { openBurst } from './burst.ts'

const CALLS_PER_SECOND_AND_KEY = 3 // Of 4 that the budget allows: turns are not taken to the second.
const CALLS_PER_ITERATION = 2
const SETTLE_MS = 2_000 // The load runs, and then the first replica is restarted.

const { values } = parseArgs({
  options: {
    story: { type: 'string', default: '' },
    rate: { type: 'string' },
    seconds: { type: 'string' },
    replicas: { type: 'string', default: '2' },
    smoke: { type: 'boolean', default: false },
    rolling: { type: 'boolean', default: false },
  },
})
const usual = values.smoke
  ? { rate: 10, seconds: 5, replicas: 1, orders: 60 }
  : values.rolling
    ? { rate: 10, seconds: 300, replicas: 2, orders: 30 }
    : { rate: 100, seconds: 60, replicas: 2, orders: 120 }
const rate = wholeNumber('rate', values.rate ?? String(usual.rate))
const seconds = wholeNumber('seconds', values.seconds ?? String(usual.seconds))
const replicas = values.smoke ? usual.replicas : wholeNumber('replicas', values.replicas)

const cluster = await startCluster({ replicas })
let isFine = false
try {
  // In a rolling restart three stories run at once, and agents and readers share the keys.
  const calls = rate * CALLS_PER_ITERATION * (values.rolling ? 2 : 1)
  const shops: Shop[] = []
  for (let number = 0; number < Math.ceil(calls / CALLS_PER_SECOND_AND_KEY); number += 1) {
    shops.push(await cluster.admin.shop(`load-${number}`, usual.orders))
  }
  const urls = (service: string) => cluster.of(service).map(({ url }) => url)
  const settings = {
    BASE_URLS: urls('rest-gateway').join(','),
    MCP_URLS: urls('mcp-gateway').join(','),
    ADMIN_URLS: urls('admin-gateway').join(','),
    ADMIN_TOKEN,
    READ_KEYS: shops.map(({ readKey }) => readKey).join(','),
    WRITE_KEYS: shops.map(({ writeKey }) => writeKey).join(','),
    RATE: String(rate),
    SECONDS: String(seconds),
    ORDERS: String(usual.orders),
    P95_MS: values.smoke ? '3000' : '500',
  }
  isFine = values.rolling ? await runRolling(cluster, settings) : await runStories(cluster, settings)
} finally {
  await cluster.stop()
}
process.exit(isFine ? 0 : 1)

async function runStories(on: Cluster, settings: Record<string, string>): Promise<boolean> {
  const stories = readdirSync(import.meta.dirname)
    .filter((file) => file.startsWith('story-') && file.endsWith('.js'))
    .filter((file) => values.story.split(',').some((name) => file.includes(name)))
  let broken = 0
  for (const story of stories) {
    const before = await readCost(on)
    const burst = story === 'story-webhook-burst.js' ? await openBurst(on) : null
    if ((await runStory(story, { ...settings, ...burst?.settings })) !== 0) broken += 1
    await burst?.stop()
    print(`${costLine(before, await readCost(on))}\n`)
  }
  print(`${stories.length - broken} stories hold, ${broken} do not`)
  return broken === 0 && stories.length > 0
}

// Restarts one replica after the other, each only when the one before is ready, for as long as the load lasts.
async function runRolling(on: Cluster, settings: Record<string, string>): Promise<boolean> {
  const proxy = await openReverseProxy(on)
  const running = { BASE_URLS: proxy.url, MCP_URLS: proxy.url, P95_MS: '3000' } // A restart makes others wait a little.
  let status: number | null = null
  const load = runStory('rolling.js', { ...settings, ...running }).then((code) => {
    status = code
  })
  const counts = new Map<string, number>()
  const tookMs: number[] = []
  await pause(SETTLE_MS)
  for (let turn = 0; status === null; turn += 1) {
    const replica = on.processes[turn % on.processes.length]
    tookMs.push((await replica?.restart('SIGTERM')) ?? 0)
    counts.set(replica?.service ?? '', (counts.get(replica?.service ?? '') ?? 0) + 1)
  }
  await load
  await proxy.stop()
  for (const line of proxy.failures) print(`*** ${line}`)
  print(`  restarts      ${tookMs.length}: ${[...counts].map(([service, count]) => `${service} ${count}`).join(', ')}`)
  print(`  away          ${Math.round(Math.max(...tookMs))} ms at most, from SIGTERM to ready again`)
  const isWhole = tookMs.length >= on.processes.length
  if (!isWhole) print('*** not every replica was restarted: give it more --seconds')
  return status === 0 && isWhole
}

function runStory(file: string, settings: Record<string, string>): Promise<number> {
  const given = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const args = ['run', '--quiet', '--no-usage-report', ...given, join(import.meta.dirname, file)]
  const child = spawn('k6', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve) => {
    child.once('error', () => {
      print('There is no k6 on the PATH (go install go.k6.io/k6@v1.8.1).')
      resolve(1)
    })
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** CPU of each service so far, and how many requests the gateways have answered. */
async function readCost({ processes }: Cluster) {
  const cpu = readCpu(processes.map(({ service, pid }) => [service, pid()]))
  let requests = 0
  for (const { opsUrl } of processes.filter(({ service }) => isGateway(service))) {
    const text = await (await fetch(`${opsUrl}/metrics`)).text()
    const counts = text.matchAll(/^storefront_http_request_seconds_count(?:\{.*\})? (\S+)$/gm)
    for (const [, count] of counts) requests += Number(count)
  }
  return { cpu, requests }
}

type Cost = Awaited<ReturnType<typeof readCost>>

// CPU is the number to compare; requests a second say more of the machine than of the product.
function costLine(before: Cost, after: Cost): string {
  const count = after.requests - before.requests
  const parts = Object.entries(cpuPerRequest(before.cpu, after.cpu, count)).map(([name, us]) => [name, Math.round(us)])
  const sum = parts.reduce((total, [, us]) => total + Number(us), 0)
  return `  CPU a request ${sum} us over ${count} requests: ${parts.map((part) => part.join(' ')).join(', ')}`
}
