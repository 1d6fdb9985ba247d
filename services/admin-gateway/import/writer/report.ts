// Owns what an import tells about itself: counts, and the problems with their place in the file.
// import-formats.md, section 1, "Dry run and report". All problems are counted, the first hundred of each severity kept.
import { limits } from '#contracts/limits'

export type Severity = 'error' | 'warning'
/** Where a problem stands: record number, physical line, and the column as the file names it. */
export type Place = { record: number; line: number; column?: string | null }
export type Problem = {
  record: number
  line: number
  column: string | null
  code: string
  message: string
  severity: Severity
}

/**
 * `records`: read so far. `skippedRecords`: left out of their object on purpose. `skipped`, `failed`: whole objects
 * that the reader did not hand on. `errors`, `warnings`: problems, kept or not.
 */
export type ReportCounts = {
  records: number
  skippedRecords: number
  skipped: number
  failed: number
  errors: number
  warnings: number
}

export type Report = {
  counts: ReportCounts
  /** In the order in which they were met. */
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
