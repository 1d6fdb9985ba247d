// The report of an import (docs/spec/imports.md#dry-run-and-report): counts of records and objects, and problems with their place
// in the file. All problems are counted, the first hundred of each severity are kept.
import type { ImportOutcome, ImportResult } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import type { ImportProblem } from '#contracts/objects/import-record'

type Severity = 'error' | 'warning'
/** The record number, the physical line, and the column as the file names it. */
export type Place = { record: number; line: number; column?: string | null }
type Problem = {
  record: number
  line: number
  column: string | null
  code: string
  message: string
  severity: Severity
}

/**
 * `records`: read so far. `skippedRecords`: left out of their object. `skipped`, `failed`: whole objects that the reader did not
 * pass to the writer. `errors`, `warnings`: problems, kept or not.
 */
type ReportCounts = {
  records: number
  skippedRecords: number
  skipped: number
  failed: number
  errors: number
  warnings: number
}

export type Report = {
  counts: ReportCounts
  /** In the order in which they were found. */
  problems: Problem[]
  error: (place: Place, code: string, message: string) => void
  warn: (place: Place, code: string, message: string) => void
}

export function openReport(): Report {
  const counts: ReportCounts = { records: 0, skippedRecords: 0, skipped: 0, failed: 0, errors: 0, warnings: 0 }
  const problems: Problem[] = []
  const keep = (place: Place, code: string, message: string, severity: Severity) => {
    const { record, line, column = null } = place
    problems.push({ record, line, column, code, message, severity })
  }
  return {
    counts,
    problems,
    error: (place, code, message) => {
      counts.errors += 1
      if (counts.errors <= limits.importErrorsShown) keep(place, code, message, 'error')
    },
    warn: (place, code, message) => {
      counts.warnings += 1
      if (counts.warnings <= limits.importErrorsShown) keep(place, code, message, 'warning')
    },
  }
}

/** Objects by what the services did with them. */
export type Outcomes = Record<ImportOutcome, number>

export function openOutcomes(): Outcomes {
  return { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
}

/** Counts a service's result for one object, and reports the object where it failed or was left out. */
export function countResult(outcomes: Outcomes, report: Report, item: Place, result: ImportResult): void {
  outcomes[result.outcome] += 1
  if (result.outcome === 'failed') {
    report.error(item, result.code ?? 'failed', result.message ?? 'This object could not be written.')
  } else if (result.code !== null || result.outcome === 'skipped') {
    report.warn(item, result.code ?? 'skipped', result.message ?? 'This object was left out.')
  }
}

/**
 * The counts and problems of the `import` object (docs/spec/back-office.md#imports): first the problem that ended the import, or
 * null, then errors, then warnings. `skipped` counts objects and lines.
 */
export function toImportFields(outcomes: Outcomes, { counts, problems }: Report, ending: ImportProblem | null) {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const warnings = problems.filter(({ severity }) => severity === 'warning')
  const shown = [...errors, ...warnings].map(toImportProblem)
  return {
    processed: counts.records,
    created: outcomes.created,
    updated: outcomes.updated,
    unchanged: outcomes.unchanged,
    skipped: outcomes.skipped + counts.skipped + counts.skippedRecords,
    failed: outcomes.failed + counts.failed,
    errors: (ending === null ? shown : [ending, ...shown]).slice(0, limits.importErrorsShown),
  }
}

function toImportProblem({ record, line, column, code, message, severity }: Problem): ImportProblem {
  return {
    record,
    line,
    column: column?.slice(0, 1_000) ?? null,
    code: code.slice(0, 100),
    message: message.slice(0, 2_000),
    severity,
  }
}
