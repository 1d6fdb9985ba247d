// Makes one attempt now. Each press of a button has a key of its own, so that a repeat after a lost answer sends nothing twice.
import { api } from '../../frame/session.ts'
import { answerOf, hasSucceeded } from '../../parts/events/attempt.ts'

export type Retried = { isAccepted: boolean; answer: string }

/** Throws the refusal of the back office; that of the receiver is the result. */
export async function retry(shop: string, id: string): Promise<Retried> {
  const attempt = await api.deliveries.retry(shop, id, {}, { idempotencyKey: crypto.randomUUID() })
  return { isAccepted: hasSucceeded(attempt), answer: answerOf(attempt) }
}
