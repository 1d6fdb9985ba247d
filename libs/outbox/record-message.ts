// Owns the writing of a message, in the caller's transaction: the change and its news commit together or not at all.
import { randomUUID } from 'node:crypto'
import type { MessageKind } from '#contracts/outbox-messages'
import type { Sql } from '#postgres/connect'

/** Writes one message for the receivers that contracts/events.ts lists for its kind. */
export async function record(
  tx: Sql,
  shopId: string,
  kind: MessageKind,
  body: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await tx.rows('insert into outbox (id, shop_id, kind, body, created_at) values ($1, $2, $3, $4, $5)', [
    randomUUID(),
    shopId,
    kind,
    JSON.stringify(body),
    now,
  ])
}
