// Makes one attempt now. Each press of a button has a key of its own, so that a repeat after a lost answer sends nothing twice.
import { api } from '../../frame/session.ts'
import { answerOf } from '../../parts/events/delivery.tsx'

export type Retried = { isAccepted: boolean; answer: string }

/** Throws the refusal of the back office; that of the receiver is the result. */
export async function retry(shop: string, id: string): Promise<Retried> {
  const attempt = await api.deliveries.retry(shop, id, {}, { idempotencyKey: crypto.randomUUID() })
  const { status } = attempt
  return { isAccepted: status !== null && status >= 200 && status < 300, answer: answerOf(attempt) }
}
