// The numbers of the last hour, and the minutes of the graphs. Pure.
import type { Layer, PlotFacts } from '../../parts/graph/plot-facts.ts'
import { BUDGET, type Deliveries, MINUTE_MS, MINUTES, type Usage } from './facts.ts'

export type CallMinute = {
  /** Its beginning in milliseconds. */
  at: number
  rest: number
  mcp: number
  /** Over the budget; they are among those of REST and MCP. */
  refused: number
  p95Ms: number | null
}
export type Sums = {
  calls: number
  rest: number
  mcp: number
  /** Answered 429, another 4xx, 5xx. */
  errors: { over: number; refused: number; failed: number }
  /** Of the minutes with calls: the median of their 95 % values, and the slowest one. Null without calls. */
  p95: { median: number; slowest: number; slowestAt: number; minutes: number } | null
}

/** One entry a minute, oldest first, up to the minute of `now`. Of several keys the slowest gives the time. */
export function minutesOf(usage: readonly Usage[], now: Date): CallMinute[] {
  const last = Math.floor(now.getTime() / MINUTE_MS)
  const minutes = Array.from({ length: MINUTES }, (_, index) => ({
    ...{ at: (last - MINUTES + 1 + index) * MINUTE_MS, rest: 0, mcp: 0, refused: 0 },
    p95Ms: null as number | null,
  }))
  for (const row of usage) {
    const one = minutes[Date.parse(row.minute) / MINUTE_MS - last + MINUTES - 1]
    if (one === undefined) continue
    one.mcp += row.mcpCalls
    one.rest += row.calls - row.mcpCalls
    one.refused += row.refused
    if (row.p95Ms !== null) one.p95Ms = Math.max(one.p95Ms ?? 0, row.p95Ms)
  }
  return minutes
}

export function sumsOf(usage: readonly Usage[], now: Date): Sums {
  const sum = (pick: (row: Usage) => number) => usage.reduce((total, row) => total + pick(row), 0)
  const calls = sum((row) => row.calls)
  const mcp = sum(({ mcpCalls }) => mcpCalls)
  const timed = minutesOf(usage, now)
    .flatMap(({ at, p95Ms }) => (p95Ms === null ? [] : [{ at, ms: p95Ms }]))
    .toSorted((one, other) => one.ms - other.ms)
  const median = timed[Math.floor((timed.length - 1) / 2)]
  const slowest = timed.at(-1)
  return {
    ...{ calls, mcp, rest: calls - mcp },
    errors: {
      over: sum(({ answers }) => answers[429]),
      refused: sum(({ answers }) => answers['4xx']),
      failed: sum(({ answers }) => answers['5xx']),
    },
    p95:
      median === undefined || slowest === undefined
        ? null
        : { median: median.ms, slowest: slowest.ms, slowestAt: slowest.at, minutes: timed.length },
  }
}

/** The keys that were used, the busiest first. */
export function busyKeys(usage: readonly Usage[]): string[] {
  const calls = new Map<string, number>()
  for (const row of usage) calls.set(row.keyId, (calls.get(row.keyId) ?? 0) + row.calls)
  return [...calls].toSorted(([, one], [, other]) => other - one).map(([keyId]) => keyId)
}

/** How the deliveries of the last hour stand. */
export function deliveryCounts({ hour }: Deliveries): { delivered: number; failing: number; waiting: number } {
  const count = (is: (delivery: Deliveries['hour'][number]) => boolean) => hour.filter(is).length
  const hasFailed = ({ status, attemptCount }: Deliveries['hour'][number]) =>
    status === 'failed' || (status === 'pending' && attemptCount > 0)
  return {
    delivered: count(({ status }) => status === 'delivered'),
    failing: count(hasFailed),
    waiting: count((one) => (one.status === 'pending' || one.status === 'held') && !hasFailed(one)),
  }
}

/** The bars of a key with the line of its budget: REST at the bottom, MCP above, what was over the budget at the top. */
export function callPlot(minutes: readonly CallMinute[], zone: string): PlotFacts {
  const all = minutes.map(({ rest, mcp }) => rest + mcp)
  const none = minutes.map(() => 0)
  const rest = minutes.map((minute) => minute.rest)
  const layers: Layer[] = [
    { kind: 'bars', from: none, to: rest, colour: '--accent' },
    { kind: 'bars', from: rest, to: all, colour: '--second' },
    {
      kind: 'bars',
      from: all.map((calls, index) => calls - (minutes[index]?.refused ?? 0)),
      to: all,
      colour: '--warn',
    },
  ]
  const top = Math.max(BUDGET, ...all) * 1.05
  return { minutes: minutes.map(({ at }) => at), layers, top, line: BUDGET, zone }
}

/** The line of the times within which 95 % were answered. */
export function speedPlot(minutes: readonly CallMinute[], zone: string): PlotFacts {
  const values = minutes.map(({ p95Ms }) => p95Ms)
  const slowest = Math.max(1, ...values.map((ms) => ms ?? 0))
  const layers: Layer[] = [{ kind: 'line', values, colour: '--accent' }]
  return { minutes: minutes.map(({ at }) => at), layers, top: roundUp(slowest * 1.1), line: null, zone }
}

// To a number whose half is easy to read: 20, 40, 60, 80, 100, 200, …
function roundUp(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value)) * 2
  return Math.ceil(value / step) * step
}
