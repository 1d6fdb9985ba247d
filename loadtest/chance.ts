// Owns the small choices that load programs leave to chance.
import { randomUUID } from 'node:crypto'

/** A short word that was not there before. */
export function word(): string {
  return randomUUID().slice(0, 8)
}

/** One of the list, or undefined where it is empty. */
export function pick<Item>(list: readonly Item[]): Item | undefined {
  return list[Math.floor(Math.random() * list.length)]
}
