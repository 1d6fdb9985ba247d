// What every program of this folder shares: options, output, the exit status, waiting for a condition, random choices.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

/** The whole number of an option, at least 1; throws one line that names the option. */
export function wholeNumber(name: string, text: string): number {
  const number = Number(text.replaceAll('_', ''))
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} must be a whole number above zero.`)
  return number
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints every breach, then the verdict, and ends the process: 0 without a breach, 1 with one. */
export function conclude(breaches: string[], held: string): never {
  const distinct = [...new Set(breaches)]
  for (const breach of distinct) print(`*** ${breach}`)
  print(distinct.length === 0 ? held : `broken: ${distinct.length}`)
  // A connection that a fault left half open would keep Node running for ever.
  process.exit(distinct.length === 0 ? 0 : 1)
}

/** Polls until the condition holds; returns whether that was within `ms`. */
export async function until(condition: () => boolean | Promise<boolean>, ms: number, everyMs = 50): Promise<boolean> {
  const end = Date.now() + ms
  while (!(await condition())) {
    if (Date.now() > end) return false
    await pause(everyMs)
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

/** Whole seconds and tenths, as `12.3 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
