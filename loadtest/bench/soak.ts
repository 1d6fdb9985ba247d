// Owns `npm run soak`: the distributed form under steady load for ten minutes, and whether any process grows meanwhile.
// npm run soak [-- --minutes 10] [--connections 8]
// All kinds of requests take turns. Memory is read each second; what is compared is the second third of the time with the last
// one, since in the first the engine still compiles and heaps find their size. Ends with 1 where a process grew, by its resident
// memory, or ever had a heap that is too large. What a heap is when low is shown besides; the engine chooses when.
import { parseArgs } from 'node:util'
import { wholeNumber } from '../order-database.ts'
import { residentMb } from './cpu.ts'
import { type Form, startDistributed } from './form.ts'
import { openHouse } from './house.ts'
import { startGenerator } from './measure.ts'
import { scenarios } from './scenario.ts'

const SHOPS = 200
const TURN_MS = 5_000
const LOOK_MS = 1_000
const HEAP_MB_MAX = 100
const GROWTH_MAX = 0.1

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, connections: { type: 'string', default: '8' } },
})
const lastsMs = wholeNumber('minutes', values.minutes) * 60_000
const connections = wholeNumber('connections', values.connections)

/** Megabytes at one moment. */
type Look = { heap: number; resident: number }
const looks = new Map<string, Look[]>()

const { ground, shopsFile, natsProgram, stop } = await openHouse(SHOPS, [])
const begun: { stop(): Promise<void> | void }[] = []
try {
  const form = await startDistributed(ground, natsProgram)
  begun.push(form)
  const generator = startGenerator(shopsFile)
  begun.push(generator)
  const until = performance.now() + lastsMs
  let requests = 0
  let turn = 0
  const watch = setInterval(() => void look(form), LOOK_MS)
  while (performance.now() < until) {
    const scenario = scenarios[turn % scenarios.length]
    turn += 1
    if (scenario === undefined) continue
    requests += (await generator.measure(form, scenario, { connections, warmMs: 0, measureMs: TURN_MS })).requests
  }
  clearInterval(watch)
  print(`${requests} requests in ${values.minutes} minutes over ${connections} connections, ${turn} turns.\n`)
  conclude()
} finally {
  for (const one of begun.toReversed()) await one.stop()
  await stop()
}

async function look(form: Form): Promise<void> {
  const pids = new Map(await form.processes())
  for (const [service, url] of form.measures) {
    const text = await fetch(url).then((response) => response.text())
    const [, bytes] = /^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text) ?? []
    const of = looks.get(service) ?? []
    of.push({ heap: Number(bytes) / 1e6, resident: residentMb(pids.get(service) ?? 0) })
    looks.set(service, of)
  }
}

function conclude(): void {
  print('| process | heap MB when low, second third / last | heap at most | resident MB, second third / last | |')
  print('|---|---|---|---|---|')
  for (const [service, all] of looks) {
    const third = Math.floor(all.length / 3)
    const [middle, last] = [all.slice(third, 2 * third), all.slice(2 * third)]
    const heaps = [low(middle.map(({ heap }) => heap)), low(last.map(({ heap }) => heap))] as const
    const resident = [median(middle.map((one) => one.resident)), median(last.map((one) => one.resident))] as const
    const most = Math.max(...all.map(({ heap }) => heap))
    const wrong = [
      ...(grew(resident) ? ['**grew**'] : []),
      ...(most > HEAP_MB_MAX ? [`**heap above ${HEAP_MB_MAX} MB**`] : []),
    ]
    if (wrong.length > 0) process.exitCode = 1
    const [heap, memory] = [heaps, resident].map((pair) => pair.map((mb) => mb.toFixed(0)).join(' / '))
    print(`| ${service} | ${heap} | ${most.toFixed(0)} | ${memory} | ${wrong.join(', ') || 'steady'} |`)
  }
}

function grew([before, after]: readonly [number, number]): boolean {
  return after > before * (1 + GROWTH_MAX)
}

// What the heap is soon after a collection: the rest is garbage, and how much depends on which requests had their turn.
function low(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 10)] ?? 0
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
