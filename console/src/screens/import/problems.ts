// The problems of an import by kind, and as CSV by line. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { csvLine, guarded } from '#export/csv'

export type ImportProblem = BackOfficeSchemas['Import']['errors'][number]
export type ProblemGroup = { code: string; severity: ImportProblem['severity']; problems: ImportProblem[] }

/** Errors before warnings, and of each the most frequent first; the problems of a group by line. */
export function groupsOf(problems: readonly ImportProblem[]): ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>()
  for (const problem of problems) {
    const { code, severity } = problem
    const group = groups.get(`${severity} ${code}`) ?? { code, severity, problems: [] }
    group.problems.push(problem)
    groups.set(`${severity} ${code}`, group)
  }
  const byLine = (a: ImportProblem, b: ImportProblem) => (a.line ?? 0) - (b.line ?? 0)
  return [...groups.values()]
    .map((group) => ({ ...group, problems: group.problems.toSorted(byLine) }))
    .toSorted((a, b) => a.severity.localeCompare(b.severity) || b.problems.length - a.problems.length)
}

/** A line a problem, by the line of the file. */
export function problemsCsv(problems: readonly ImportProblem[]): string {
  const lines = problems
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ line, record, column, severity, code, message }) => [
      ...[
        line,
        record,
        column === null ? null : guarded(column),
        severity,
        code,
        message === null ? null : guarded(message),
      ],
    ])
  return [['line', 'record', 'column', 'severity', 'code', 'message'], ...lines].map(csvLine).join('')
}
