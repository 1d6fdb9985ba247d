// `npm run load`: the k6 stories against the distributed form on this machine, with as many shops and keys as the published
// budget of 240 calls a minute and key requires.
// npm run load [-- --story <name>[,<name>]] [--rate 100] [--seconds 60] [--replicas 2] [--smoke]
// Needs k6 on the PATH (go install go.k6.io/k6@v1.8.1). Ends with 1 when a bound broke.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Shop } from '../client.ts'
import { ADMIN_TOKEN, type Cluster, isGateway, startCluster } from '../cluster.ts'
import { isNamed, print, readOptions } from '../program.ts'
import { cpuPerRequest, readCpu } from '../usage.ts'
import { openBurst } from './burst.ts'

const CALLS_PER_SECOND_AND_KEY = 3 // Of 4 that the budget allows: turns are not taken to the second.
const CALLS_PER_ITERATION = 2

const { smoke, ...options } = readOptions({ story: '', rate: 0, seconds: 0, replicas: 2, smoke: false })
const usual = smoke ? { rate: 10, seconds: 5, orders: 60 } : { rate: 100, seconds: 60, orders: 120 }
const [rate, seconds] = [options.rate || usual.rate, options.seconds || usual.seconds]

const cluster = await startCluster({ replicas: smoke ? 1 : options.replicas })
let isFine = false
try {
  const shops: Shop[] = []
  for (let number = 0; number < Math.ceil((rate * CALLS_PER_ITERATION) / CALLS_PER_SECOND_AND_KEY); number += 1) {
    shops.push(await cluster.client.shop(`load-${number}`, usual.orders))
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
    P95_MS: smoke ? '3000' : '500',
  }
  isFine = await runStories(cluster, settings)
} finally {
  await cluster.stop()
}
process.exit(isFine ? 0 : 1)

async function runStories(on: Cluster, settings: Record<string, string>): Promise<boolean> {
  const stories = readdirSync(import.meta.dirname)
    .filter((file) => file.startsWith('story-') && file.endsWith('.js'))
    .filter((file) => isNamed(options.story, file))
  let broken = 0
  for (const story of stories) {
    const before = await readCost(on)
    const burst = story === 'story-webhook-burst.js' ? await openBurst(on) : null
    const status = await runStory(story, { ...settings, BURST_SHOPS: burst?.shops ?? '' })
    const { line, breaches } = (await burst?.judge()) ?? { line: '', breaches: [] }
    await burst?.stop()
    if (line !== '') print(`  ${line}`)
    for (const breach of breaches) print(`*** ${breach}`)
    if (status !== 0 || breaches.length > 0) broken += 1
    print(`${costLine(before, await readCost(on))}\n`)
  }
  print(`${stories.length - broken} stories hold, ${broken} do not`)
  return broken === 0 && stories.length > 0
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
