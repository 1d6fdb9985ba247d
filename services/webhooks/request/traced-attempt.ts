// Owns the span of one attempt. The receiver is told nothing of it: the headers of a delivery are a closed list
// (states-and-events.md 2), a trace is not among them.
import type { Tracing } from '#telemetry/tracing'
import type { Sent } from './attempt.ts'
import type { Answer } from '../delivery/retry.ts'

/** The attempt in a span of its own; ids and what came back, no address and no word of the receiver. */
export function tracedAttempt(
  tracing: Tracing,
  { target, eventId, attempt, reason }: Pick<Sent, 'target' | 'eventId' | 'attempt' | 'reason'>,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const facts = {
    'http.request.method': 'POST',
    'storefront.event_id': eventId,
    'storefront.endpoint_id': target.id,
    'storefront.attempt': attempt,
    'storefront.reason': reason,
  }
  return tracing.span({ kind: 'client', name: 'webhook attempt', facts }, async (span) => {
    const answer = await send()
    span.tell({ 'http.response.status_code': answer.status })
    if (answer.error !== null) span.fail(answer.error)
    else if (answer.status === null || answer.status < 200 || answer.status > 299) span.fail(String(answer.status))
    return answer
  })
}
