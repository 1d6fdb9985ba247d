// The problems of an import by kind. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'

type Import = BackOfficeSchemas['Import']
export type ImportProblem = Import['errors'][number]
/** `count`: in the whole file; `problems`: the first of them. */
export type ProblemGroup = {
  code: string
  severity: ImportProblem['severity']
  count: number
  problems: ImportProblem[]
}

/** Why an import failed as a whole; null where it did not, or does not say so. */
export function causeOf({ status, errors }: Pick<Import, 'status' | 'errors'>): ImportProblem | null {
  if (status !== 'failed') return null
  return errors.find(({ line, severity }) => line === null && severity === 'error') ?? null
}

/** Errors before warnings, and of each the most frequent first; the problems of a group by line. */
export function groupsOf({ errors, problemCounts }: Pick<Import, 'errors' | 'problemCounts'>): ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>()
  for (const problem of errors) {
    const { code, severity } = problem
    const group = groups.get(`${severity} ${code}`) ?? { code, severity, count: 0, problems: [] }
    group.problems.push(problem)
    groups.set(`${severity} ${code}`, group)
  }
  const byLine = (a: ImportProblem, b: ImportProblem) => (a.line ?? 0) - (b.line ?? 0)
  return [...groups.values()]
    .map((group) => ({
      ...group,
      // A code may be an error of one object and a warning of another.
      count: Math.max(
        groups.has(`${other(group.severity)} ${group.code}`) ? 0 : (problemCounts[group.code] ?? 0),
        group.problems.length,
      ),
      problems: group.problems.toSorted(byLine),
    }))
    .toSorted((a, b) => a.severity.localeCompare(b.severity) || b.count - a.count)
}

function other(severity: ImportProblem['severity']): ImportProblem['severity'] {
  return severity === 'error' ? 'warning' : 'error'
}
