// Owns what is said of the windows: a table for people, ratios to the floor, and the comparison with ratios of before.
// A ratio is made inside one round, where both sides met the same machine within seconds; of the rounds the median counts,
// and the smallest and the largest say how far it can be trusted.
import type { FormName } from './form.ts'
import type { Window } from './measure.ts'

/** CPU a request against the floor's; `low` and `high` over the rounds. */
export type Ratio = { scenario: string; connections: number; form: FormName; ratio: number; low: number; high: number }

export function ratiosOf(windows: Window[]): Ratio[] {
  return groups(windows)
    .filter(([first]) => first.form !== 'floor')
    .map((group) => {
      const [{ scenario, connections, form }] = group
      const values = group.map((window) => window.sumUs / floorOf(windows, window).sumUs).sort((a, b) => a - b)
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
    const own = ratios.find((one) => one.scenario === scenario && one.connections === connections && one.form === form)
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
 * What has become dearer than before by more than `allowed` (0.25 is a quarter), one line each. The best round counts: a busy
 * neighbour makes rounds dearer and none cheaper.
 */
export function stepsBack(now: Ratio[], before: Ratio[], allowed: number): string[] {
  return now.flatMap((one) => {
    const old = before.find(
      ({ scenario, connections, form }) =>
        scenario === one.scenario && connections === one.connections && form === one.form,
    )
    if (old === undefined || one.low <= old.ratio * (1 + allowed)) return []
    const figures = `${one.low.toFixed(2)} × floor at best, was ${old.ratio.toFixed(2)}`
    return [`${one.scenario}, ${names[one.form]}, ${one.connections} connections: ${figures}`]
  })
}

const names: Record<FormName, string> = { floor: 'floor', one: 'one process', nats: 'over NATS' }

function groups(windows: Window[]): [Window, ...Window[]][] {
  const found = new Map<string, [Window, ...Window[]]>()
  for (const window of windows) {
    const name = `${window.scenario} ${window.connections} ${window.form}`
    const group = found.get(name)
    if (group === undefined) found.set(name, [window])
    else group.push(window)
  }
  return [...found.values()]
}

function floorOf(windows: Window[], { scenario, connections, round }: Window): Window {
  const floor = windows.find(
    (window) =>
      window.form === 'floor' &&
      window.scenario === scenario &&
      window.connections === connections &&
      window.round === round,
  )
  if (floor === undefined) throw new Error(`${scenario} has no floor in round ${round}.`)
  return floor
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}
