// `npm run bench`: the product against the floor, side by side on this machine, in turns of some seconds, and a walk through
// a large shop.
// npm run bench [-- --rounds 3] [--seconds 2] [--warm-seconds 5] [--connections 1,8,32] [--only orders] [--walk-orders 45000]
//   [--runs 3] [--record] [--profile folder]
// npm run bench -- --check: the short form; ends with 1 where a ratio is half above the recorded one even in its best round, and
// prints the bounds that are broken. `--only` is a scenario's whole name, or what the names of some contain. `--runs`: of the flash sale,
// which ends the program with 1 where it sold too much or too little. `--record` keeps the recorded ratios of other scenarios.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ownMb, residentMb } from '../usage.ts'
import { print, readOptions } from '../program.ts'
import { type Bench, openBench, say } from './forms.ts'
import type { Window } from './measure.ts'
import {
  brokenBounds,
  compressedRatios,
  linesOfCompressed,
  type Ratio,
  ratiosOf,
  stepsBack,
  tableOf,
  WALK_RATIO_MAX,
  withRecorded,
} from './report.ts'
import { scenarios } from './scenarios.ts'
import { measureWalk, WALK, WALK_LIMIT, WALK_PAGE } from './walk.ts'
import { DELIVERY, LEFT_MESSAGES, measureDelivery, measureLeft } from './writes/delivery.ts'
import { FLASH_SALE, runFlashSales } from './writes/flash-sale.ts'

// The best of four rounds without warm-up was 1.37 times the recorded ratio although nothing had changed (2026-11-23).
const STEP_BACK_ALLOWED = 0.5
const SHOPS = 200
const SHOPS_OF_CHECK = 80 // Their keys have the budget for its windows.
// While the other forms were measured, the rate windows of the keys ended; they are opened again before the measurement.
const WARM_S = 5
const WARM_S_OF_CHECK = 1.5
// Until the engine has compiled what is hot: in the first seconds that is half of a process's work, later a tenth.
const HEAT_MS = 10_000
const HEAT_MS_OF_CHECK = 5_000
const recorded = join(import.meta.dirname, 'ratios.json')

const options = readOptions({
  rounds: 0,
  seconds: 0,
  'warm-seconds': 0,
  connections: '1,8,32',
  only: '',
  'walk-orders': 45_000,
  runs: 3,
  record: false,
  check: false,
  profile: '',
})
const rounds = options.rounds || 3
const measureMs = (options.seconds || (options.check ? 1 : 2)) * 1_000
const warmMs = (options['warm-seconds'] || (options.check ? WARM_S_OF_CHECK : WARM_S)) * 1_000
const connectionCounts = options.connections.split(',').map(Number)
const trials = [WALK, FLASH_SALE, DELIVERY, LEFT_MESSAGES]
const isShort = options.check && options.only === ''
const chosen = scenarios.filter(({ name, isLong }) => isChosen(name) && !(isShort && isLong === true))
const chosenTrials = trials.filter((name) => isChosen(name) && !(isShort && name !== WALK))
if (chosen.length === 0 && chosenTrials.length === 0) throw new Error(`--only names no scenario: ${options.only}`)
const isWalkChosen = chosenTrials.includes(WALK)
const walkOrders = isWalkChosen ? options['walk-orders'] : 0
if (isWalkChosen && walkOrders <= WALK_PAGE * WALK_LIMIT) throw new Error('--walk-orders must reach past page 400.')

const bench = await openBench({
  shops: options.check ? SHOPS_OF_CHECK : SHOPS,
  walkOrders,
  nodeOptions: profileOptions(),
})
try {
  await warm(bench)
  const windows = await measureAll(bench)
  if (windows.length > 0) print(`${tableOf(windows)}\n`)
  for (const line of linesOfCompressed(compressedRatios(windows))) print(line)
  const deep = await walk(bench)
  const wrong = await tryWrites(bench)
  print(`Memory at the end, in brackets what no other process has.`)
  for (const { name, processes } of bench.forms) {
    const own = (await processes()).filter(([service]) => service !== 'postgres')
    const sizes = own.map(([service, pid]) => `${service} ${residentMb(pid)} MB (${ownMb(pid)})`)
    print(`${name}: ${sizes.join(', ')}`)
  }
  report(ratiosOf(windows), deep)
  for (const line of wrong) print(`*** ${line}`)
  if (wrong.length > 0) process.exitCode = 1
} finally {
  await bench.stop()
}

function isChosen(name: string): boolean {
  const isExact = [...scenarios.map((one) => one.name), ...trials].includes(options.only)
  return isExact ? name === options.only : name.toLowerCase().includes(options.only.toLowerCase())
}

async function warm({ measure, forms }: Bench): Promise<void> {
  say('warming')
  for (const scenario of chosen) {
    for (const form of forms) {
      await measure(form, scenario, {
        connections: 32,
        warmMs: 0,
        measureMs: options.check ? HEAT_MS_OF_CHECK : HEAT_MS,
      })
    }
  }
}

async function measureAll({ measure, forms }: Bench): Promise<Window[]> {
  const windows: Window[] = []
  for (let round = 0; round < rounds; round += 1) {
    if (chosen.length > 0) say(`round ${round + 1} of ${rounds}`)
    for (const scenario of chosen) {
      for (const connections of connectionCounts) {
        const turned = [...forms.slice(round % forms.length), ...forms.slice(0, round % forms.length)]
        for (const form of turned) {
          windows.push({ round, ...(await measure(form, scenario, { connections, warmMs, measureMs })) })
        }
      }
    }
  }
  return windows
}

/** Returns the bound of the walk where it is broken. */
async function walk({ forms, walkShop }: Bench): Promise<string[]> {
  const one = forms.find(({ name }) => name === 'one')
  if (one === undefined || walkShop === null) return []
  say('walking')
  const { deepMs, firstMs, ratio, low, high } = await measureWalk(one, walkShop, rounds)
  print(`${WALK}: ${deepMs.toFixed(2)} and ${firstMs.toFixed(2)} ms,`)
  print(`ratio **${ratio.toFixed(2)}** (${low.toFixed(2)}–${high.toFixed(2)})\n`)
  return low > WALK_RATIO_MAX ? [`bound: ${WALK}: ${low.toFixed(2)} at best, at most ${WALK_RATIO_MAX}`] : []
}

/** What is measured of the product alone; returns what was wrong. */
async function tryWrites(all: Bench): Promise<string[]> {
  const wrong: string[] = []
  for (const form of all.products) {
    if (chosenTrials.length > 0) say(`trying ${form.name}`)
    if (chosenTrials.includes(FLASH_SALE)) wrong.push(...(await runFlashSales(form, options.runs)))
    if (chosenTrials.includes(DELIVERY)) wrong.push(...(await measureDelivery(form)))
    const placing = scenarios.find(({ name }) => name === 'place an order')
    if (chosenTrials.includes(LEFT_MESSAGES) && placing !== undefined) await measureLeft(all, form, placing, rounds)
  }
  return wrong
}

function report(ratios: Ratio[], deep: string[]): void {
  const before = JSON.parse(readFileSync(recorded, 'utf8')) as Ratio[]
  const short = (_name: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value)
  const lines = withRecorded(ratios, before).map((ratio) => JSON.stringify(ratio, short))
  if (options.record) writeFileSync(recorded, `[\n  ${lines.join(',\n  ')}\n]\n`)
  if (!options.check) return
  const steps = stepsBack(ratios, before, STEP_BACK_ALLOWED)
  const services = bench.forms.filter(({ name }) => name === 'nats').flatMap((form) => form.services)
  const resident = services.map(({ service, pid }): [string, number] => [service, residentMb(pid())])
  const broken = [...brokenBounds(ratios, resident), ...deep]
  for (const line of [...steps, ...broken]) print(line)
  if (steps.length === 0) print('no step back')
  if (broken.length === 0) print('every bound holds')
  process.exitCode = steps.length === 0 ? 0 : 1
}

// `--profile folder` writes a .cpuprofile of each process of the product when it ends.
function profileOptions(): string {
  if (options.profile === '') return ''
  mkdirSync(options.profile, { recursive: true })
  return `--cpu-prof --cpu-prof-dir=${resolve(options.profile)}`
}
