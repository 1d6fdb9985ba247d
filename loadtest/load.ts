// Owns `npm run load`: the k6 stories against the distributed form on this machine, with as many shops and keys as the
// published budget of 240 calls a minute and key asks for.
// npm run load [-- --story <name>[,<name>]] [--rate 100] [--seconds 60] [--replicas 2] [--smoke]
// npm run load -- --rolling [--rate 10] [--seconds 300] [--replicas 2] restarts everything in turn meanwhile.
// Needs k6 on the PATH (go install go.k6.io/k6@v1.8.1). Ends with 1 when a bound broke.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { wholeNumber } from './order-database.ts'
import { openEdge } from './edge.ts'
import { readCost } from './process-cost.ts'
import { restartAll, restartsInWords } from './rolling.ts'
import { ADMIN_TOKEN, openStage, type Shop, type Stage } from './stage.ts'
import { openBurst } from './webhook-burst.ts'

const CALLS_PER_SECOND_AND_KEY = 3 // Of 4 that the budget allows: turns are not taken to the second.
const CALLS_PER_ITERATION = 2

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
const replicas = wholeNumber('replicas', values.replicas ?? String(usual.replicas))
const { orders } = usual

const stage = await openStage(replicas)
try {
  // In a rolling restart three stories run at once, and agents and readers share the keys.
  const calls = rate * CALLS_PER_ITERATION * (values.rolling ? 2 : 1)
  const shops: Shop[] = []
  for (let number = 0; number < Math.ceil(calls / CALLS_PER_SECOND_AND_KEY); number += 1)
    shops.push(await stage.shop(`load-${number}`, orders))
  const settings = {
    ...urlsOf(stage),
    READ_KEYS: shops.map(({ readKey }) => readKey).join(','),
    WRITE_KEYS: shops.map(({ writeKey }) => writeKey).join(','),
    RATE: String(rate),
    SECONDS: String(seconds),
    ORDERS: String(orders),
    P95_MS: values.smoke ? '3000' : '500',
  }
  const isFine = values.rolling ? await runRolling(stage, settings) : await runStories(stage, settings)
  process.exitCode = isFine ? 0 : 1
} finally {
  await stage.stop()
}
// Node itself waits for ever where a fault has left a connection half open (in its last cleaning up, which nothing can end).
process.exit()

async function runStories(ground: Stage, settings: Record<string, string>): Promise<boolean> {
  const stories = readdirSync(import.meta.dirname)
    .filter((file) => file.startsWith('story-') && file.endsWith('.js'))
    .filter((file) => values.story.split(',').some((name) => file.includes(name)))
  let broken = 0
  for (const story of stories) {
    const before = await readCost(ground.replicas.all)
    const burst = story === 'story-webhook-burst.js' ? await openBurst(ground) : null
    if ((await runStory(story, { ...settings, ...burst?.settings })) !== 0) broken += 1
    await burst?.stop()
    process.stdout.write(`${before.until(await readCost(ground.replicas.all))}\n\n`)
  }
  process.stdout.write(`${stories.length - broken} stories hold, ${broken} do not\n`)
  return broken === 0 && stories.length > 0
}

async function runRolling(ground: Stage, settings: Record<string, string>): Promise<boolean> {
  const edge = await openEdge(ground.replicas)
  // Whoever is restarted makes others wait a little; how long, the report says.
  const load = runStory('rolling.js', { ...settings, BASE_URLS: edge.url, MCP_URLS: edge.url, P95_MS: '3000' })
  const restarts = await restartAll(ground.replicas, load)
  const isFine = (await load) === 0 && restarts.isWhole()
  for (const line of edge.broken) process.stdout.write(`*** ${line}\n`)
  process.stdout.write(restartsInWords(restarts))
  if (!restarts.isWhole()) process.stdout.write('*** not every replica had its turn: give it more --seconds\n')
  await edge.stop()
  return isFine
}

function urlsOf(ground: Stage): Record<string, string> {
  const urls = (service: string) => ground.replicas.of(service).map(({ url }) => url)
  return {
    BASE_URLS: urls('rest-gateway').join(','),
    MCP_URLS: urls('mcp-gateway').join(','),
    ADMIN_URLS: urls('admin-gateway').join(','),
    ADMIN_TOKEN,
  }
}

function runStory(file: string, settings: Record<string, string>): Promise<number> {
  const given = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const args = ['run', '--quiet', '--no-usage-report', ...given, join(import.meta.dirname, file)]
  const child = spawn('k6', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
