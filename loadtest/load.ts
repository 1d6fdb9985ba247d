// Owns `npm run load`: the k6 stories against the distributed form on this machine, with as many shops and keys as the
// published budget of 240 calls a minute and key asks for.
// npm run load [-- --story <name>[,<name>]] [--rate 100] [--seconds 60] [--replicas 2] [--smoke]
// Needs k6 on the PATH (go install go.k6.io/k6@v1.8.1). Ends with 1 when a bound broke.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { wholeNumber } from './order-database.ts'
import { readCost } from './process-cost.ts'
import { openStage, type Shop } from './stage.ts'

const CALLS_PER_SECOND_AND_KEY = 3 // Of 4 that the budget allows: turns are not taken to the second.
const CALLS_PER_ITERATION = 2

const { values } = parseArgs({
  options: {
    story: { type: 'string', default: '' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
    replicas: { type: 'string', default: '2' },
    smoke: { type: 'boolean', default: false },
  },
})
const rate = values.smoke ? 10 : wholeNumber('rate', values.rate)
const seconds = values.smoke ? 5 : wholeNumber('seconds', values.seconds)
const replicas = values.smoke ? 1 : wholeNumber('replicas', values.replicas)
const orders = values.smoke ? 60 : 120
const stories = readdirSync(import.meta.dirname)
  .filter((file) => file.startsWith('story-') && file.endsWith('.js'))
  .filter((file) => values.story.split(',').some((name) => file.includes(name)))

const stage = await openStage(replicas)
try {
  const pairs = Math.ceil((rate * CALLS_PER_ITERATION) / CALLS_PER_SECOND_AND_KEY)
  const shops: Shop[] = []
  for (let number = 0; number < pairs; number += 1) shops.push(await stage.shop(`load-${number}`, orders))
  const urls = (service: string) =>
    stage.replicas
      .of(service)
      .map(({ url }) => url)
      .join(',')
  const settings = {
    BASE_URLS: urls('rest-gateway'),
    MCP_URLS: urls('mcp-gateway'),
    READ_KEYS: shops.map(({ readKey }) => readKey).join(','),
    WRITE_KEYS: shops.map(({ writeKey }) => writeKey).join(','),
    RATE: String(rate),
    SECONDS: String(seconds),
    ORDERS: String(orders),
    P95_MS: values.smoke ? '3000' : '500',
  }
  let broken = 0
  for (const story of stories) {
    const before = await readCost(stage.replicas.all)
    if ((await runStory(story, settings)) !== 0) broken += 1
    process.stdout.write(`${before.until(await readCost(stage.replicas.all))}\n\n`)
  }
  process.stdout.write(`${stories.length - broken} stories hold, ${broken} do not\n`)
  process.exitCode = broken === 0 && stories.length > 0 ? 0 : 1
} finally {
  await stage.stop()
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
