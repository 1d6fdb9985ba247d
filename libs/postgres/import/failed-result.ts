// The results of imported objects that fail. docs/spec/imports.md#dry-run-and-report
import type { ImportResult } from '#contracts/actions/import-result'
import { Refusal, refuse } from '#contracts/errors'
import { codeOf } from '../connect.ts'

/** A refusal with the code of the import's report; `field` is the one at fault. */
export function importProblem(code: string, message: string, field?: string) {
  return refuse('invalid_request', message, { problem: code, ...(field === undefined ? {} : { field }) })
}

/** The result of an object that is refused; null for any other error. */
export function refusedResult(key: string, error: unknown): ImportResult | null {
  if (!(error instanceof Refusal)) return null
  const { type, message, data } = error
  const code = typeof data.problem === 'string' ? data.problem : type
  return { key, outcome: 'failed', id: null, code, message, ...(data.field === undefined ? {} : { field: data.field }) }
}

/** The result of an object that cannot be written. Throws errors that the object has not caused. */
export function failedResult(key: string, error: unknown): ImportResult {
  const refused = refusedResult(key, error)
  if (refused !== null && refused.code !== 'unavailable') return refused
  // Class 22: a value that the database cannot hold; 23: a constraint.
  if (!/^(22|23)/.test(codeOf(error) ?? '')) throw error
  return { key, outcome: 'failed', id: null, code: 'not_storable', message: 'The database refuses this object.' }
}
