// The actions of every service with an outbox: docs/spec/outboxes.md#parked-messages. Called by the back office.
import { z } from 'zod'
import type { OutboxSchema } from '../outbox-messages.ts'
import { idParam, pageParams } from './params.ts'

const list = z.object(pageParams)
const retry = idParam.extend({ retry: z.unknown().optional() })

function parkedActions<Schema extends OutboxSchema>(schema: Schema) {
  return {
    [`${schema}.list_parked`]: list,
    [`${schema}.retry_parked`]: retry,
    [`${schema}.drop_parked`]: idParam,
  } as Record<`${Schema}.list_parked`, typeof list> &
    Record<`${Schema}.retry_parked`, typeof retry> &
    Record<`${Schema}.drop_parked`, typeof idParam>
}

/** Params by action. */
export const outboxActions = {
  ...parkedActions('catalog'),
  ...parkedActions('contacts'),
  ...parkedActions('orders'),
  ...parkedActions('subscriptions'),
  ...parkedActions('webhooks'),
}
