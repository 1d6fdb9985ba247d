// What every program of this folder shares: options, output, the exit status, waiting for a condition, random choices.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

type Kind<Value> = Value extends number ? number : Value extends boolean ? boolean : string

/** The options of the command line, each of the kind of its default; throws one line that names an invalid number. */
export function readOptions<Defaults extends Record<string, string | number | boolean>>(defaults: Defaults) {
  const kinds = Object.entries(defaults).map(([name, value]) => {
    return [name, { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) }] as const
  })
  const { values } = parseArgs({ options: Object.fromEntries(kinds) })
  const read = Object.entries(defaults).map(([name, value]) => {
    const given = values[name]
    if (given === undefined || typeof value !== 'number') return [name, given ?? value]
    const number = Number(String(given).replaceAll('_', ''))
    if (given === '' || !(number >= 0 && Number.isFinite(number)))
      throw new Error(`--${name} must be a number, zero or more.`)
    return [name, number]
  })
  return Object.fromEntries(read) as { [Name in keyof Defaults]: Kind<Defaults[Name]> }
}

/** Whether a comma-separated option has a part that the name contains. */
export function isNamed(option: string, name: string): boolean {
  return option.split(',').some((part) => name.includes(part))
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints every breach, then the verdict, and ends the process: 0 without a breach, 1 with one. */
export function conclude(breaches: string[], held: string): never {
  const distinct = [...new Set(breaches)]
  for (const breach of distinct) print(`*** ${breach}`)
  print(distinct.length === 0 ? held : `broken: ${distinct.length}`)
  // A connection that a fault left half open would keep Node running without end.
  process.exit(distinct.length === 0 ? 0 : 1)
}

/** Polls until the condition holds; returns whether that was within `ms`. */
export async function until(condition: () => boolean | Promise<boolean>, ms: number, everyMs = 50): Promise<boolean> {
  const end = Date.now() + ms
  while (!(await condition())) {
    if (Date.now() > end) return false
    await sleep(everyMs)
  }
  return true
}

/** A short word that did not exist before. */
export function word(): string {
  return randomUUID().slice(0, 8)
}

/** A random item; throws when the list is empty. */
export function pick<Item>(list: readonly Item[]): Item {
  const item = list[Math.floor(Math.random() * list.length)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}

/** The number below which that share of the numbers lies, 0.5 for the median; 0 of none. */
export function quantile(numbers: number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Whole seconds and tenths, as `12.3 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
