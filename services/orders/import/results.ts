// The results of imported orders and refunds, and the digest that tells whether the content of a key has changed.
import { hash } from 'node:crypto'
import type { ImportResult } from '#contracts/actions/import-result'

/** Equal for equal content of a key. */
export function digestOf(content: unknown): Buffer {
  return hash('sha256', JSON.stringify(content) ?? '', 'buffer')
}

export function success(key: string, outcome: ImportResult['outcome'], id: string): ImportResult {
  return { key, outcome, id, code: null, message: null }
}
