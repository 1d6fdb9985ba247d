// `npm run soak`: a ten-minute load test of the distributed form that detects memory leaks.
// npm run soak [-- --minutes 10] [--connections 8]
// All scenarios take turns. Memory is read each second; the second third of the time is compared with the last one, since in
// the first the engine still compiles and heaps find their size. Ends with 1 where the resident memory of a process grew, or was
// ever above its bound (loadtest/memory.ts). The heap is shown too; the engine chooses when it collects.
import { GROWTH_MAX, overResident } from '../memory.ts'
import { print, quantile, readOptions } from '../program.ts'
import { readMetric, residentMb } from '../usage.ts'
import { openBench } from './forms.ts'
import { scenarios } from './scenarios.ts'

const SHOPS = 200
const TURN_MS = 5_000
const SAMPLE_MS = 1_000

const { minutes, connections } = readOptions({ minutes: 10, connections: 8 })
/** Megabytes at one moment. */
const samples = new Map<string, { heap: number; resident: number }[]>()
const bench = await openBench({ shops: SHOPS, walkOrders: 0 }, 'nats')
try {
  const timer = setInterval(() => void sample(), SAMPLE_MS)
  let requests = 0
  for (const until = performance.now() + minutes * 60_000; performance.now() < until; ) {
    for (const scenario of scenarios) {
      for (const form of bench.forms) {
        requests += (await bench.measure(form, scenario, { connections, warmMs: 0, measureMs: TURN_MS })).requests
      }
    }
  }
  clearInterval(timer)
  print(`${requests} requests in ${minutes} minutes over ${connections} connections.\n`)
  report()
} finally {
  await bench.stop()
}

async function sample(): Promise<void> {
  for (const replica of bench.forms.flatMap(({ services }) => services)) {
    const heap = (await readMetric(replica, 'nodejs_heap_size_used_bytes')) / 1e6
    const all = samples.get(replica.service) ?? []
    samples.set(replica.service, [...all, { heap, resident: residentMb(replica.pid()) }])
  }
}

function report(): void {
  print(
    '| process | heap MB when low, second third / last | heap at most | resident MB, second third / last | resident at most | |',
  )
  print('|---|---|---|---|---|---|')
  for (const [service, all] of samples) {
    const third = Math.floor(all.length / 3)
    const parts = [all.slice(third, 2 * third), all.slice(2 * third)]
    const of = (what: 'heap' | 'resident', share: number) =>
      parts.map((part) => {
        const megabytes = part.map((one) => one[what])
        return Math.round(quantile(megabytes, share))
      })
    // The heap soon after a collection: the rest is garbage, and how much of it depends on the scenarios that had their turn.
    const [heap, resident] = [of('heap', 0.1), of('resident', 0.5)]
    const heapMost = Math.max(...all.map((one) => one.heap))
    const residentMost = Math.max(...all.map((one) => one.resident))
    const breaches = [
      ...((resident[1] ?? 0) > (resident[0] ?? 0) * (1 + GROWTH_MAX) ? ['**grew**'] : []),
      ...overResident([[service, residentMost]]).map((line) => `**${line}**`),
    ]
    if (breaches.length > 0) process.exitCode = 1
    const cells = [service, heap.join(' / '), heapMost.toFixed(0), resident.join(' / '), residentMost]
    print(`| ${cells.join(' | ')} | ${breaches.join(', ') || 'steady'} |`)
  }
}
