// The report of an import (docs/spec/imports.md#dry-run-and-report): counts of records and objects, and problems with their place
// in the file. All problems are counted and stored; the first of each code are kept for the `import` object.
import type { ImportOutcome, ImportResult } from '#contracts/actions/import-result'
import type { StoredProblem } from '#contracts/actions/imports'
import { limits } from '#contracts/limits'
import type { ImportProblem } from '#contracts/objects/import-record'
import type { ImportItem } from '../reader/item.ts'

/**
 * The record number, the physical line, the column as the file names it with its cell, and the key of the object; without one the
 * problem is of the object that is being read.
 */
export type Place = {
  record: number
  line: number
  column?: string | null
  value?: string | null
  object?: string | null
}

/**
 * `records`: read so far. `skippedRecords`: that hold no part of an object. `blankRecords`: empty ones, which are no records. `items`: objects that the reader has passed to the writer.
 * `skipped`, `failed`: those that it did not pass. `beside`: objects that a group of records made besides its own.
 * `errors`, `warnings`: problems, kept or not.
 */
type ReportCounts = {
  records: number
  skippedRecords: number
  blankRecords: number
  items: number
  skipped: number
  failed: number
  beside: number
  errors: number
  warnings: number
}

export type Report = {
  counts: ReportCounts
  /** The first of each code, in the order in which they were found. */
  problems: ImportProblem[]
  problemCounts: Record<string, number>
  error: (place: Place, code: string, message: string) => void
  warn: (place: Place, code: string, message: string) => void
  /** Names the object to which the next problems belong. */
  about: (object: string | null) => void
  /** Adds the problem that ended the import, before all others. */
  endWith: (problem: ImportProblem) => void
  /** Whether so many problems wait to be stored that `flush` has to be called. */
  isFull: () => boolean
  flush: () => Promise<void>
}

const TEXT_MAX = 200 // Of a value or a key in a report.

/** `store` takes the problems in batches of at most `importProblemsAtOnce`. */
export function openReport(store: (problems: StoredProblem[]) => Promise<void> = async () => undefined): Report {
  const counts = {
    records: 0,
    skippedRecords: 0,
    blankRecords: 0,
    items: 0,
    skipped: 0,
    failed: 0,
    beside: 0,
    errors: 0,
    warnings: 0,
  }
  const problems: ImportProblem[] = []
  const problemCounts: Record<string, number> = {}
  let waiting: StoredProblem[] = []
  let number = 0
  let object: string | null = null

  const add = (problem: ImportProblem): number => {
    const { code } = problem
    const count = (Object.hasOwn(problemCounts, code) ? (problemCounts[code] ?? 0) : 0) + 1
    problemCounts[code] = count
    number += 1
    const { key, column, value } = problem
    waiting.push({ line: problem.line ?? 0, number, key, column, code, value })
    return count
  }
  const keep = (place: Place, code: string, message: string, severity: ImportProblem['severity']) => {
    const { record, line, column = null, value = null, object: own = object } = place
    const problem: ImportProblem = {
      line,
      record,
      key: shortened(own),
      column: column?.slice(0, 1_000) ?? null,
      code: code.slice(0, 100),
      value: shortened(value),
      message: message.slice(0, 2_000),
      severity,
    }
    if (add(problem) <= limits.importErrorsPerCode && problems.length < limits.importErrorsMax) problems.push(problem)
  }
  return {
    counts,
    problems,
    problemCounts,
    error: (place, code, message) => {
      counts.errors += 1
      keep(place, code, message, 'error')
    },
    warn: (place, code, message) => {
      counts.warnings += 1
      keep(place, code, message, 'warning')
    },
    about: (next) => {
      object = next
    },
    endWith: (problem) => {
      add(problem)
      problems.unshift(problem)
    },
    isFull: () => waiting.length >= limits.importProblemsAtOnce,
    async flush() {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, limits.importProblemsAtOnce)
        waiting = waiting.slice(batch.length)
        await store(batch)
      }
    },
  }
}

/** The same report without values and keys: an erased person leaves no trace (docs/spec/security.md#personal-data). */
export function withoutPersons(report: Report): Report {
  const { error, warn } = report
  return {
    ...report,
    error: (place, ...problem) => error({ ...place, value: null, object: null }, ...problem),
    warn: (place, ...problem) => warn({ ...place, value: null, object: null }, ...problem),
  }
}

/** Begins the key of a record that has no id. No text of a file holds it. */
export const NAMELESS = '\0'
/** Begins the key of an object that is known by its content only. */
export const CONTENT = 'content:'

/** The key of an object as a person knows it: without the name of the column that it stands in; null where no person knows it. */
export function readableKey(key: string): string | null {
  if (key.startsWith(NAMELESS) || key.startsWith(CONTENT)) return null
  return key.replace(/^(sku|name|slug|email|phone):/, '')
}

/** Objects by what the services did with them. */
export type Outcomes = Record<ImportOutcome, number>

export function openOutcomes(): Outcomes {
  return { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
}

type Item = Pick<ImportItem, 'kind' | 'key' | 'record' | 'line' | 'object'>

/** Where an object begins, under its name for a person; contacts have none, because it could name them. */
export function placeOfItem({ kind, key, record, line, object }: Item): Place {
  return { record, line, object: kind === 'contact' ? null : (object ?? readableKey(key)) }
}

/** Counts a service's result for one object, and reports the object where it failed or was left out. */
export function countResult(outcomes: Outcomes, report: Report, item: Item, result: ImportResult): void {
  outcomes[result.outcome] += 1
  const place = { ...placeOfItem(item), column: result.field ?? null }
  if (result.outcome === 'failed') {
    report.error(place, result.code ?? 'failed', result.message ?? 'This object could not be written.')
  } else if (result.code !== null || result.outcome === 'skipped') {
    report.warn(place, result.code ?? 'skipped', result.message ?? 'This object was left out.')
  }
}

/** The counts of the `import` object (docs/spec/back-office.md#imports): `processed` is the sum of the others. */
export function countsOf(outcomes: Outcomes, { counts }: Report) {
  const { created, updated, unchanged } = outcomes
  const skipped = outcomes.skipped + counts.skipped
  const failed = outcomes.failed + counts.failed
  const processed = created + updated + unchanged + skipped + failed
  return { processed, created, updated, unchanged, skipped, failed }
}

/** The problems of the `import` object: errors before warnings. */
export function shownProblems({ problems }: Report): ImportProblem[] {
  return problems
    .toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
    .slice(0, limits.importErrorsMax)
}

function shortened(text: string | null): string | null {
  return text !== null && text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text
}
