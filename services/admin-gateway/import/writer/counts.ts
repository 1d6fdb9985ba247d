// Owns the count of what became of the objects of a file, and the form in which an import tells about itself.
// Back office: the `import` object. import-formats.md, section 1, "Dry run and report".
import type { ImportOutcome, ImportResult } from '#contracts/actions/import-result'
import type { ImportProblem } from '#contracts/objects/import-record'
import { limits } from '#contracts/limits'
import type { ImportItem } from '../reader/item.ts'
import type { Problem, Report } from './report.ts'

export type Tally = Record<ImportOutcome, number>

export function openTally(): Tally {
  return { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
}

/** Counts what a service answered about one object; what went wrong or was left out goes to the report. */
export function count(tally: Tally, report: Report, item: ImportItem, result: ImportResult): void {
  tally[result.outcome] += 1
  if (result.outcome === 'failed') {
    report.error(item, result.code ?? 'failed', result.message ?? 'This object could not be written.')
  } else if (result.code !== null || result.outcome === 'skipped') {
    report.warn(item, result.code ?? 'skipped', result.message ?? 'This object was left out.')
  }
}

/**
 * The counts and the first problems: what ended the import (null: nothing did), then errors, then warnings. `skipped`
 * counts objects and lines that were left out.
 */
export function toAccount(tally: Tally, { counts, problems }: Report, ending: ImportProblem | null) {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const warnings = problems.filter(({ severity }) => severity === 'warning')
  const shown = [...errors, ...warnings].map(toImportProblem)
  return {
    processed: counts.records,
    created: tally.created,
    updated: tally.updated,
    unchanged: tally.unchanged,
    skipped: tally.skipped + counts.skipped + counts.skippedRecords,
    failed: tally.failed + counts.failed,
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
