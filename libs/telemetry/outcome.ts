// What a span records of failed work.
import { isServerFault, refusalCode } from '#contracts/errors'
import type { Span } from './tracing.ts'

/**
 * Runs the work and records in the span how it failed. A refusal is an answer like others; an outage fails the span. Codes are
 * recorded, never messages, which may quote a value.
 */
export async function describeOutcome<Answer>(span: Span, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    const code = refusalCode(error)
    if (isServerFault(error)) span.fail(code ?? errorCodeOf(error))
    else span.setFacts({ 'error.type': code })
    throw error
  }
}

function errorCodeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z_]{3,40}$/.test(code) ? code : 'error'
}
