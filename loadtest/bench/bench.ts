// Owns `npm run bench`: the product against the floor, side by side on this machine, in turns of some seconds.
// npm run bench [-- --rounds 3] [--seconds 2] [--connections 1,8,32] [--only orders] [--json bench.json] [--record]
// npm run bench -- --check: the short form; ends with 1 where a ratio is a quarter worse than the recorded one, even in its
// best round. `--only` is a request's whole name, or what the names of some contain.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../order-database.ts'
import { ownMb, residentMb } from './cpu.ts'
import { type Form, startDistributed, startFloor, startOneProcess } from './form.ts'
import { openHouse } from './house.ts'
import { type Generator, startGenerator, type Window } from './measure.ts'
import { type Ratio, ratiosOf, stepsBack, tableOf } from './report.ts'
import { type Scenario, scenarios } from './scenario.ts'

const STEP_BACK_ALLOWED = 0.25
const SHOPS = 200
// While the others had their turns, the keys' minutes ended: the first call of each asks auth and opens a new one. In use all the
// time, which is what is measured, a key does that once a minute; after a pause all of them do it in the first seconds.
const WARM_MS = 5_000
// Until the engine has compiled what is hot: in the first seconds that is half of a process's work, later a tenth.
const HEAT_MS = 10_000
const recorded = join(import.meta.dirname, 'ratios.json')

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    record: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const rounds = wholeNumber('rounds', values.rounds ?? (values.check ? '5' : '3'))
const measureMs = wholeNumber('seconds', values.seconds ?? (values.check ? '1' : '2')) * 1_000
const connectionCounts = (values.connections ?? (values.check ? '32' : '1,8,32'))
  .split(',')
  .map((text) => wholeNumber('connections', text))
const exact = scenarios.filter(({ name }) => name === values.only)
const alike = scenarios.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()))
const chosen = exact.length > 0 ? exact : alike

const { ground, shopsFile, natsProgram, stop } = await openHouse(SHOPS, profileArgs())
const begun: { stop(): Promise<void> | void }[] = []
try {
  say('starting')
  const forms: Form[] = []
  for (const start of [startFloor, startOneProcess, distributed]) {
    const form = await start(ground)
    forms.push(form)
    begun.push(form)
  }
  const generator = startGenerator(shopsFile)
  begun.push(generator)
  await warm(generator, forms)
  const windows = await measureAll(generator, forms)
  process.stdout.write(`${tableOf(windows)}\n\n${await memoryOf(forms)}\n`)
  conclude(windows)
} finally {
  for (const one of begun.toReversed()) await one.stop()
  await stop()
}

function distributed(): Promise<Form> {
  return startDistributed(ground, natsProgram)
}

async function warm(generator: Generator, forms: Form[]): Promise<void> {
  say('warming')
  for (const scenario of chosen) {
    for (const form of forms) {
      await generator.measure(form, scenario, { connections: 32, warmMs: 0, measureMs: HEAT_MS })
    }
  }
}

async function measureAll(generator: Generator, forms: Form[]): Promise<Window[]> {
  const windows: Window[] = []
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`)
    for (const scenario of chosen) {
      for (const connections of connectionCounts) {
        const turned = [...forms.slice(round % forms.length), ...forms.slice(0, round % forms.length)]
        for (const form of turned) windows.push(await measureOnce(generator, form, scenario, connections, round))
      }
    }
  }
  return windows.sort((a, b) => place(a) - place(b))
}

async function measureOnce(
  generator: Generator,
  form: Form,
  scenario: Scenario,
  connections: number,
  round: number,
): Promise<Window> {
  return { round, ...(await generator.measure(form, scenario, { connections, warmMs: WARM_MS, measureMs })) }
}

// The order of the table: request, connections, form.
function place({ scenario, connections, form }: Window): number {
  const request = chosen.findIndex(({ name }) => name === scenario)
  return request * 10_000 + connections * 10 + ['floor', 'one', 'nats'].indexOf(form)
}

async function memoryOf(forms: Form[]): Promise<string> {
  const parts: string[] = []
  for (const form of forms) {
    const own = (await form.processes()).filter(([name]) => name !== 'postgres')
    parts.push(`${form.name}: ${own.map(([name, pid]) => `${name} ${residentMb(pid)} MB (${ownMb(pid)})`).join(', ')}`)
  }
  return `Memory at the end, in brackets what no other process has. ${parts.join('; ')}.`
}

function conclude(windows: Window[]): void {
  const ratios = ratiosOf(windows)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ratios, windows }, null, 1)}\n`)
  if (values.record) writeFileSync(recorded, `${JSON.stringify(ratios.map(rounded), null, 2)}\n`)
  if (!values.check) return
  const worse = stepsBack(ratios, JSON.parse(readFileSync(recorded, 'utf8')) as Ratio[], STEP_BACK_ALLOWED)
  for (const line of worse) process.stdout.write(`step back: ${line}\n`)
  process.stdout.write(worse.length === 0 ? 'no step back\n' : '')
  process.exitCode = worse.length === 0 ? 0 : 1
}

function rounded(one: Ratio): Ratio {
  const short = (value: number) => Math.round(value * 100) / 100
  return { ...one, ratio: short(one.ratio), low: short(one.low), high: short(one.high) }
}

// `--profile folder` writes a .cpuprofile of each process of the product when it ends.
function profileArgs(): string[] {
  if (values.profile === undefined) return []
  mkdirSync(values.profile, { recursive: true })
  return ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
