// `npm run bench`: the product against the floor, side by side on this machine, in turns of some seconds, and a walk through
// a large shop.
// npm run bench [-- --rounds 3] [--seconds 2] [--connections 1,8,32] [--only orders] [--walk-orders 45000]
//   [--record] [--profile folder]
// npm run bench -- --check: the short form; ends with 1 where a ratio is a quarter above the recorded one even in its best round, and
// prints the bounds that are broken. `--only` is a scenario's whole name, or what the names of some contain.
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
} from './report.ts'
import { scenarios } from './scenarios.ts'
import { measureWalk, WALK, WALK_LIMIT, WALK_PAGE, type Walked } from './walk.ts'

const STEP_BACK_ALLOWED = 0.25
const SHOPS = 200
// While the other forms were measured, the rate windows of the keys ended; they are opened again before the measurement.
const WARM_MS = 5_000
// Until the engine has compiled what is hot: in the first seconds that is half of a process's work, later a tenth.
const HEAT_MS = 10_000
const recorded = join(import.meta.dirname, 'ratios.json')

const options = readOptions({
  ...{ rounds: 0, seconds: 0, connections: '1,8,32', only: '', 'walk-orders': 45_000 },
  ...{ record: false, check: false, profile: '' },
})
const rounds = options.rounds || (options.check ? 5 : 3)
const measureMs = (options.seconds || (options.check ? 1 : 2)) * 1_000
const connectionCounts = options.connections.split(',').map(Number)
const chosen = scenarios.filter(({ name }) => isChosen(name))
const isWalkChosen = isChosen(WALK)
if (chosen.length === 0 && !isWalkChosen) throw new Error(`--only names no scenario: ${options.only}`)
const walkOrders = isWalkChosen ? options['walk-orders'] : 1
if (isWalkChosen && walkOrders <= WALK_PAGE * WALK_LIMIT) throw new Error('--walk-orders must reach past page 400.')

const bench = await openBench({ shops: SHOPS, walkOrders, nodeOptions: profileOptions() })
try {
  await warm(bench)
  const windows = await measureAll(bench)
  const walk = isWalkChosen ? await walkOf(bench) : null
  if (windows.length > 0) print(`${tableOf(windows)}\n`)
  for (const line of linesOfCompressed(compressedRatios(windows))) print(line)
  if (walk !== null) {
    print(`${WALK}: ${walk.deepMs.toFixed(2)} and ${walk.firstMs.toFixed(2)} ms,`)
    print(`ratio **${walk.ratio.toFixed(2)}** (${walk.low.toFixed(2)}–${walk.high.toFixed(2)})\n`)
  }
  const memory = await memoryOf(bench)
  print(`Memory at the end, in brackets what no other process has.`)
  for (const { form, line } of memory) print(`${form}: ${line}`)
  const ofServices = memory.filter(({ form }) => form === 'nats').flatMap(({ resident }) => resident)
  report(windows, walk, ofServices)
} finally {
  await bench.stop()
}

function isChosen(name: string): boolean {
  const isExact = [...scenarios, { name: WALK }].some((one) => one.name === options.only)
  return isExact ? name === options.only : name.toLowerCase().includes(options.only.toLowerCase())
}

async function warm({ generator, forms }: Bench): Promise<void> {
  say('warming')
  for (const scenario of chosen) {
    for (const form of forms) {
      await generator.measure(form, scenario, { connections: 32, warmMs: 0, measureMs: HEAT_MS })
    }
  }
}

async function measureAll({ generator, forms }: Bench): Promise<Window[]> {
  const windows: Window[] = []
  for (let round = 0; round < rounds; round += 1) {
    if (chosen.length > 0) say(`round ${round + 1} of ${rounds}`)
    for (const scenario of chosen) {
      for (const connections of connectionCounts) {
        const turned = [...forms.slice(round % forms.length), ...forms.slice(0, round % forms.length)]
        for (const form of turned) {
          const measured = await generator.measure(form, scenario, { connections, warmMs: WARM_MS, measureMs })
          windows.push({ round, ...measured })
        }
      }
    }
  }
  return windows.sort((a, b) => place(a) - place(b))
}

// The order of the table: scenario, connections, form.
function place({ scenario, connections, form }: Window): number {
  const request = chosen.findIndex(({ name }) => name === scenario)
  return request * 10_000 + connections * 10 + ['floor', 'one', 'nats'].indexOf(form)
}

async function walkOf({ forms, walkShop }: Bench): Promise<Walked | null> {
  const one = forms.find(({ name }) => name === 'one')
  if (one === undefined) return null
  say('walking')
  return measureWalk(one, walkShop, rounds)
}

async function memoryOf({ forms }: Bench) {
  const found: { form: string; resident: [string, number][]; line: string }[] = []
  for (const form of forms) {
    const own = (await form.processes()).filter(([name]) => name !== 'postgres')
    const resident = own.map(([name, pid]): [string, number] => [name, residentMb(pid)])
    const line = own.map(([name, pid]) => `${name} ${residentMb(pid)} MB (${ownMb(pid)})`).join(', ')
    found.push({ form: form.name, resident, line })
  }
  return found
}

function report(windows: Window[], walk: Walked | null, ofServices: [string, number][]): void {
  const ratios = ratiosOf(windows)
  if (options.record) writeFileSync(recorded, linesOf(ratios))
  if (!options.check) return
  const steps = stepsBack(ratios, JSON.parse(readFileSync(recorded, 'utf8')) as Ratio[], STEP_BACK_ALLOWED)
  const broken = [
    ...brokenBounds(ratios, ofServices),
    ...(walk !== null && walk.low > WALK_RATIO_MAX
      ? [`bound: ${WALK}: ${walk.low.toFixed(2)} at best, at most ${WALK_RATIO_MAX}`]
      : []),
  ]
  for (const line of [...steps, ...broken]) print(line)
  if (steps.length === 0) print('no step back')
  if (broken.length === 0) print('every bound holds')
  process.exitCode = steps.length === 0 ? 0 : 1
}

function linesOf(ratios: Ratio[]): string {
  const short = (value: number) => Math.round(value * 100) / 100
  const lines = ratios.map((one) => {
    return JSON.stringify({ ...one, ratio: short(one.ratio), low: short(one.low), high: short(one.high) })
  })
  return `[\n  ${lines.join(',\n  ')}\n]\n`
}

// `--profile folder` writes a .cpuprofile of each process of the product when it ends.
function profileOptions(): string {
  if (options.profile === '') return ''
  mkdirSync(options.profile, { recursive: true })
  return `--cpu-prof --cpu-prof-dir=${resolve(options.profile)}`
}
