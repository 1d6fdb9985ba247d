// `npm run load`: the k6 stories against the distributed form on this machine, with as many shops and keys as the published
// budget of 240 calls a minute and key requires, or against an installation that runs already.
// npm run load [-- --story <name>[,<name>]] [--rate 100] [--seconds 60] [--replicas 2] [--smoke]
// npm run load -- --base <URL> --keys <file> [--story ...] [--rate ...] [--seconds ...]: docs/spec/running.md#load-on-a-deployment
// Needs k6 on the PATH (go install go.k6.io/k6@v1.8.1). Ends with 1 when a bound broke.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ADMIN_TOKEN, type Cluster, isGateway, startCluster } from '../cluster.ts'
import { isNamed, print, readOptions } from '../program.ts'
import { cpuPerRequest, readCpu, readMetric } from '../usage.ts'
import { openBurst } from './burst.ts'

type Settings = Record<string, string>

const CALLS_PER_SECOND_AND_KEY = 3 // Of 4 that the budget allows: turns are not taken to the second.
const CALLS_PER_ITERATION = 2
const BURST = 'story-webhook-burst.js'

const { smoke, base, keys, ...options } = readOptions({
  ...{ story: '', rate: 0, seconds: 0, replicas: 2, smoke: false, base: '', keys: '' },
})
const usual = smoke ? { rate: 4, seconds: 3, orders: 30 } : { rate: 100, seconds: 60, orders: 120 }
const isFine = await (base === '' ? onOwnCluster() : onInstallation())
process.exit(isFine ? 0 : 1)

async function onOwnCluster(): Promise<boolean> {
  const cluster = await startCluster({ replicas: smoke ? 1 : options.replicas })
  try {
    const rate = options.rate || usual.rate
    const secrets: string[] = []
    while (secrets.length < keysFor(rate)) {
      secrets.push((await cluster.client.shop(`load-${secrets.length}`, usual.orders)).writeKey)
    }
    const file = join(cluster.folder, 'keys')
    writeFileSync(file, secrets.join('\n'))
    const urls = (service: string) => cluster.of(service).map(({ url }) => url)
    const settings = {
      ...{ RATE: String(rate), KEYS: file, ORDERS: String(usual.orders), ADMIN_TOKEN },
      ...{ BASE_URLS: urls('rest-gateway').join(','), MCP_URLS: urls('mcp-gateway').join(',') },
      ADMIN_URLS: urls('admin-gateway').join(','),
    }
    return await runStories((story) => runMeasured(cluster, story, settings))
  } finally {
    await cluster.stop()
  }
}

async function onInstallation(): Promise<boolean> {
  if (keys === '') throw new Error('--base needs --keys: a file with an API key with write access on each line.')
  const count = readFileSync(keys, 'utf8').match(/\S+/g)?.length ?? 0
  const most = Math.floor((count * CALLS_PER_SECOND_AND_KEY) / CALLS_PER_ITERATION)
  const rate = options.rate || Math.min(most, usual.rate)
  if (rate > most || most === 0) throw new Error(`A rate of ${rate} needs ${keysFor(rate)} keys; ${keys} has ${count}.`)
  const settings = { RATE: String(rate), KEYS: resolve(keys), ORDERS: '0', BASE_URLS: base.replace(/\/$/, '') }
  print(`${rate} a second with ${count} keys; ${BURST} does not run, it reads the database\n`)
  return runStories((story) => runStory(story, settings), [BURST])
}

/** How many keys a rate of iterations needs. */
function keysFor(rate: number): number {
  return Math.ceil((rate * CALLS_PER_ITERATION) / CALLS_PER_SECOND_AND_KEY)
}

/** Whether every chosen story holds; `run` says it of one. */
async function runStories(run: (story: string) => Promise<boolean>, without: string[] = []): Promise<boolean> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.startsWith('story-') && file.endsWith('.js'))
  const stories = files.filter((file) => isNamed(options.story, file) && !without.includes(file))
  let held = 0
  for (const story of stories) held += (await run(story)) ? 1 : 0
  print(`${held} stories hold, ${stories.length - held} do not`)
  return held === stories.length && held > 0
}

async function runMeasured(cluster: Cluster, story: string, settings: Settings): Promise<boolean> {
  const before = await readCost(cluster)
  const burst = story === BURST ? await openBurst(cluster) : null
  const holds = await runStory(story, { ...settings, BURST_SHOPS: burst?.shops ?? '' })
  const breaches = (await burst?.judge()) ?? []
  for (const breach of breaches) print(`*** ${breach}`)
  print(`${costLine(before, await readCost(cluster))}\n`)
  return holds && breaches.length === 0
}

function runStory(file: string, settings: Settings): Promise<boolean> {
  const all = { ...settings, SECONDS: String(options.seconds || usual.seconds), P95_MS: smoke ? '3000' : '500' }
  const given = Object.entries(all).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const args = ['run', '--quiet', '--no-usage-report', ...given, join(import.meta.dirname, file)]
  const child = spawn('k6', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((done) => {
    child.once('error', () => {
      print('There is no k6 on the PATH (go install go.k6.io/k6@v1.8.1).')
      done(false)
    })
    child.once('exit', (code) => done(code === 0))
  })
}

/** CPU of each service so far, and how many requests the gateways have answered. */
async function readCost({ processes }: Cluster) {
  const cpu = readCpu(processes.map(({ service, pid }) => [service, pid()]))
  const gateways = processes.filter(({ service }) => isGateway(service))
  const counts = await Promise.all(gateways.map((one) => readMetric(one, 'storefront_http_request_seconds_count')))
  return { cpu, requests: counts.reduce((sum, count) => sum + count, 0) }
}

type Cost = Awaited<ReturnType<typeof readCost>>

// CPU is the number to compare; requests a second say more of the machine than of the product.
function costLine(before: Cost, after: Cost): string {
  const count = after.requests - before.requests
  const parts = Object.entries(cpuPerRequest(before.cpu, after.cpu, count)).map(([name, us]) => [name, Math.round(us)])
  const sum = parts.reduce((total, [, us]) => total + Number(us), 0)
  return `  CPU a request ${sum} us over ${count} requests: ${parts.map((part) => part.join(' ')).join(', ')}`
}
