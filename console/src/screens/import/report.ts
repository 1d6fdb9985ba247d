// What the report of an import says: its name and state, and its problems by kind, as rows and as CSV. Pure.
import { csvLine, guarded } from '#export/tables'
import type { ImportFormatName } from '#contracts/input/import'
import type { PaymentMethod } from '#contracts/objects/order'
import type { Tone } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'
import type { Import } from './run.ts'

export type ImportProblem = Import['errors'][number]
export type ProblemGroup = { code: string; severity: ImportProblem['severity']; problems: ImportProblem[] }

const { imports: text } = words
export const formatNames = Object.keys(text.formats) as ImportFormatName[]
export const paymentMethods = Object.keys({
  ...{ card: true, bank_transfer: true, cod: true, paypal: true, venmo: true, whatsapp: true },
  ...{ telegram: true, instagram: true, email: true, phone: true },
} satisfies Record<PaymentMethod, true>)
export const outcomes = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const

export function formatWords(format: string | null): string {
  const names: Record<string, string> = text.formats
  return format === null ? text.unknownFormat : (names[format] ?? format)
}

const tones: Record<string, Tone> = { running: 'wait', completed: 'ok', failed: 'warn', interrupted: 'warn' }

export function toneOf({ status, failed }: Import): Tone {
  return status === 'completed' && failed > 0 ? 'wait' : (tones[status] ?? 'open')
}

/** The status, or what an import that was completed could not take. */
export function stateWords({ status, failed }: Import): string {
  return status === 'completed' && failed > 0 ? text.outcome(failed, text.did.failed) : status
}

/** The counts that are not zero, in words. */
export function outcomeWords(one: Import): string {
  const named = one.dryRun ? text.would : text.did
  const some = outcomes.filter((name) => one[name] > 0)
  return some.map((name) => text.outcome(one[name], named[name])).join(', ')
}

/** The screen that shows what a format holds. */
export function screenOf(format: string | null): 'products' | 'orders' | 'contacts' {
  if (format?.endsWith('products') === true) return 'products'
  return format?.endsWith('customers') === true ? 'contacts' : 'orders'
}

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
      ...[line, record, column === null ? null : guarded(column), severity, code, guarded(message)],
    ])
  return [['line', 'record', 'column', 'severity', 'code', 'message'], ...lines].map(csvLine).join('')
}
