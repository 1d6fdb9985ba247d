// The actions by which auth has the rows of a deleted shop removed in every other schema: docs/spec/back-office.md#deleting-a-shop.
import { z } from 'zod'
import { type OutboxSchema, outboxTopics } from '../outbox-messages.ts'

/** `for_ms`: about how long the service deletes rows before it answers. Answers `DeletedPart`. */
const params = z.object({ shop_id: z.guid(), for_ms: z.int().min(0).max(10_000) })

/** Params by action. */
export const shopDeletionActions = Object.fromEntries(
  Object.keys(outboxTopics).map((schema) => [`${schema}.delete_shop`, params]),
) as Record<`${OutboxSchema}.delete_shop`, typeof params>

/** `is_done`: the service has no row of the shop any more. */
export type DeletedPart = { rows: number; is_done: boolean }
