// Evaluates the windows of a benchmark: a table, ratios to the floor, steps back from the recorded ratios, broken bounds.
// A ratio is made inside one round, where both sides met the same machine within seconds; the median of the rounds counts,
// and the smallest and the largest say how far it can be trusted.
import { overResident } from '../memory.ts'
import type { FormName } from './form.ts'
import type { Window } from './measure.ts'

/** CPU a request against the floor's; `low` and `high` over the rounds. */
export type Ratio = { scenario: string; connections: number; form: FormName; ratio: number; low: number; high: number }

export function ratiosOf(windows: Window[]): Ratio[] {
  return ratiosTo((window) => find(windows, { ...window, form: 'floor' }), windows)
}

/** The CPU of compressed answers against that of the same answers as they are, where both were measured. */
export function compressedRatios(windows: Window[]): Ratio[] {
  return ratiosTo((window) => {
    const [plain] = /.*(?=, (gzip|br)$)/.exec(window.scenario) ?? []
    return plain === undefined ? undefined : find(windows, { ...window, scenario: plain })
  }, windows)
}

/** The ratios of those windows that have a base, to that. */
function ratiosTo(baseOf: (window: Window) => Window | undefined, windows: Window[]): Ratio[] {
  return groups(windows.filter((window) => window.form !== 'floor' && baseOf(window) !== undefined)).map((group) => {
    const [{ scenario, connections, form }] = group
    const values = group.map((window) => window.sumUs / (baseOf(window)?.sumUs ?? 0)).toSorted((a, b) => a - b)
    return { scenario, connections, form, ratio: median(values), low: values[0] ?? 0, high: values.at(-1) ?? 0 }
  })
}

/** A Markdown table, a line for each scenario, number of connections and form. */
export function tableOf(windows: Window[]): string {
  const ratios = ratiosOf(windows)
  const lines = groups(windows).map((group) => {
    const [{ scenario, connections, form, bytes, cpuUs }] = group
    const of = (read: (window: Window) => number) => median(group.map(read))
    const parts = Object.keys(cpuUs).filter((name) => of((window) => window.cpuUs[name] ?? 0) >= 0.5)
    const own = ratios.find((one) => isAlike(one, group[0]))
    const cells = [
      ...[scenario, connections, names[form]],
      ...[Math.round(of(({ perSecond }) => perSecond)), of(({ p50Ms }) => p50Ms).toFixed(2)],
      ...[of(({ p99Ms }) => p99Ms).toFixed(1), bytes],
      parts.map((name) => `${name} ${Math.round(of((window) => window.cpuUs[name] ?? 0))}`).join(', '),
      `**${Math.round(of(({ sumUs }) => sumUs))}**`,
      own === undefined ? '1' : `**${own.ratio.toFixed(2)}** (${own.low.toFixed(2)}–${own.high.toFixed(2)})`,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| request | connections | form | req/s | p50 ms | p99 ms | bytes | CPU µs a request | sum | × floor |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

/**
 * Ratios that exceed the recorded ones by more than `allowed` (0.25 is a quarter), one line each. The best round counts:
 * other work on the machine makes a round more expensive, never cheaper.
 */
export function stepsBack(now: Ratio[], before: Ratio[], allowed: number): string[] {
  return now.flatMap((one) => {
    const old = before.find((other) => isAlike(one, other))
    if (old === undefined || one.low <= old.ratio * (1 + allowed)) return []
    return [`step back: ${nameOf(one)}: ${one.low.toFixed(2)} × floor at best, was ${old.ratio.toFixed(2)}`]
  })
}

/** What to record: the ratios of this run, and those that were recorded before of what it did not measure. */
export function withRecorded(now: Ratio[], before: Ratio[]): Ratio[] {
  return [...before.map((old) => now.find((one) => isAlike(one, old)) ?? old), ...now.filter(isNew)]

  function isNew(one: Ratio): boolean {
    return !before.some((old) => isAlike(one, old))
  }
}

/** Ratios that no run may exceed in its best round, independent of the recorded ones. */
const bounds: Pick<Ratio, 'scenario' | 'connections' | 'form' | 'ratio'>[] = [
  { scenario: 'GET /orders (25)', connections: 32, form: 'one', ratio: 1.4 },
  { scenario: 'GET /orders (25)', connections: 32, form: 'nats', ratio: 2.9 },
  { scenario: 'GET /orders (25)', connections: 8, form: 'nats', ratio: 3.1 },
  { scenario: 'GET /orders (25)', connections: 1, form: 'nats', ratio: 3.5 },
  { scenario: 'GET /orders (25), again', connections: 32, form: 'nats', ratio: 0.8 },
  { scenario: 'GET /orders/{id}', connections: 32, form: 'nats', ratio: 2.9 },
  { scenario: 'POST /contacts, changed', connections: 32, form: 'one', ratio: 2 },
  { scenario: 'POST /contacts, changed', connections: 32, form: 'nats', ratio: 3 },
  { scenario: 'place an order', connections: 32, form: 'one', ratio: 4.3 },
  { scenario: 'ship an order', connections: 32, form: 'one', ratio: 2.6 },
]
/** Page 400 of a walk against its first page. */
export const WALK_RATIO_MAX = 1.1

/** The bounds that the run broke, one line each. `residentMb` names the processes of the distributed form. */
export function brokenBounds(now: Ratio[], residentMb: [process: string, mb: number][]): string[] {
  const dear = now.flatMap((one) => {
    const must = bounds.find((bound) => isAlike(one, bound))
    if (must === undefined || one.low <= must.ratio) return []
    return [`bound: ${nameOf(one)}: ${one.low.toFixed(2)} × floor at best, at most ${must.ratio}`]
  })
  return [...dear, ...overResident(residentMb).map((line) => `bound: ${line}`)]
}

/** Lines for compressed answers; a bound (docs/spec/rest-api.md#compression) that is broken in the best round is named. */
export function linesOfCompressed(ratios: Ratio[]): string[] {
  return ratios.map((one) => {
    const most = one.scenario.includes('again') ? COMPRESSED_AGAIN_MAX : COMPRESSED_MAX
    const words = `${nameOf(one)}: ${one.ratio.toFixed(2)} (${one.low.toFixed(2)}–${one.high.toFixed(2)}) × uncompressed`
    return one.low <= most ? words : `bound: ${words}, at most ${most}`
  })
}
const COMPRESSED_MAX = 4
const COMPRESSED_AGAIN_MAX = 1.3

function isAlike(one: Pick<Ratio, 'scenario' | 'connections' | 'form'>, other: typeof one): boolean {
  return one.scenario === other.scenario && one.connections === other.connections && one.form === other.form
}

function nameOf({ scenario, form, connections }: Ratio): string {
  return `${scenario}, ${names[form]}, ${connections} connections`
}

const names: Record<FormName, string> = { floor: 'floor', one: 'one process', nats: 'over NATS' }

function groups(windows: Window[]): [Window, ...Window[]][] {
  const found = Map.groupBy(windows, ({ scenario, connections, form }) => `${scenario} ${connections} ${form}`)
  return [...found.values()] as [Window, ...Window[]][]
}

function find(windows: Window[], wanted: Window): Window | undefined {
  return windows.find((one) => one.round === wanted.round && isAlike(one, wanted))
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}
