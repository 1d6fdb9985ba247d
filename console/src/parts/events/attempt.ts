// One attempt at a delivery, in words: what came of it, and what to do about it. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { words } from '../../words/en.ts'

export type Attempt = BackOfficeSchemas['WebhookAttempt']
type Outcome = Pick<Attempt, 'status' | 'error'>

const { errors, advice } = words.attempts

export function hasSucceeded({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

/** `500 in 12 ms`, or what went wrong before there was a status. */
export function answerOf({ status, error, durationMs }: Outcome & Pick<Attempt, 'durationMs'>): string {
  if (status !== null) return words.timeLine.answer(String(status), durationMs)
  return words.attempts.noStatus(errorWords(error ?? ''), durationMs)
}

/** Of an error class; what the API calls it where it is a new one. A status stays what it is. */
export function errorWords(error: string): string {
  const known: Record<string, string> = errors
  return known[error] ?? error
}

/** What to do about an attempt that failed; null where it has not. */
export function adviceFor(attempt: Outcome): string | null {
  if (hasSucceeded(attempt)) return null
  const known: Record<string, string> = advice
  const { status, error } = attempt
  if (error !== null && known[error] !== undefined) return known[error]
  if (status === null) return null
  return known[String(status)] ?? (status >= 500 ? advice.failed : advice.refused)
}
