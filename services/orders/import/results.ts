// The results of imported orders and refunds, and the digest that tells whether the content of a key has changed.
import { hash } from 'node:crypto'
import type { ImportResult } from '#contracts/actions/import-result'
import { refusalCode } from '#contracts/errors'
import { codeOf } from '#postgres/connect'

/** Equal for equal content of a key. */
export function digestOf(content: unknown): Buffer {
  return hash('sha256', JSON.stringify(content) ?? '', 'buffer')
}

export function success(key: string, outcome: ImportResult['outcome'], id: string): ImportResult {
  return { key, outcome, id, code: null, message: null }
}

/** The result of an object that cannot be written. Throws errors that the object has not caused. */
export function failure(key: string, error: unknown): ImportResult {
  const code = refusalCode(error)
  if (code !== null && code !== 'unavailable' && error instanceof Error) {
    const problem = 'data' in error ? (error.data as { problem?: string } | null)?.problem : undefined
    return { key, outcome: 'failed', id: null, code: problem ?? code, message: error.message }
  }
  // Class 22: a value that the database cannot hold; 23: a constraint.
  if (!/^(22|23)/.test(codeOf(error) ?? '')) throw error
  return { key, outcome: 'failed', id: null, code: 'not_storable', message: 'The database refuses this object.' }
}
