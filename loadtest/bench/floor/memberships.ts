// The floor of renewing a membership: one read; one statement with membership, timer, history, event, message, kept answer, audit entry.
import { subscriptionDocument, toSubscription } from '../../../services/subscriptions/shape.ts'
import type { SubscriptionFacts, SubscriptionRow } from '../../../services/subscriptions/tables.ts'
import { addIntervals } from '../../../services/subscriptions/timers/calendar.ts'
import { ACTOR, commandParts, commandValues } from './command.ts'
import { rows } from './database.ts'

const FIND = `
  select s.*, (select max(position) from subscriptions.subscription_history where shop_id = $1 and subscription_id = $2) as position
  from subscriptions.subscriptions s where shop_id = $1 and id = $2`
// $7 end of the period, $8 document, $9 number of events so far, $10 the present instant, $11 last position of the history.
const RENEW = `
  with written as (
    update subscriptions.subscriptions s set status = 'active', periods = s.periods + 1, current_period_end = $7,
      trial_ends_at = null, event_seq = s.event_seq + 1, document = $8, updated_at = $10
    where s.shop_id = $1 and s.id = $2 and s.event_seq = $9 returning s.updated_at as at, s.document
  ), timed as (
    insert into subscriptions.timers (shop_id, subscription_id, move, due_at) select $1, $2, 'period_over', $7 from written
    on conflict (shop_id, subscription_id) do update
      set move = excluded.move, due_at = excluded.due_at, lease_until = null, lease_token = null
  ), made as (
    insert into subscriptions.subscription_history (shop_id, subscription_id, position, at, who, move, from_status, to_status)
    select $1, $2, coalesce($11::integer, 0) + 1, at, '${ACTOR}', 'renew', 'active', 'active' from written
  ) ${commandParts('subscriptions')}`

/** The answer to POST /subscriptions/{id}/renew, for a running membership with manual billing. */
export async function renewMembership(shopId: string, id: string, key: string | undefined): Promise<Buffer> {
  const [found] = await rows<SubscriptionRow & { position: number | null }>(FIND, [shopId, id])
  if (found === undefined || found.anchor_at === null) throw new Error('The membership cannot be renewed.')
  const { position, document: _old, ...before } = found
  const periods = before.periods + 1
  const now = new Date()
  const after: SubscriptionFacts = {
    ...before,
    periods,
    status: 'active',
    current_period_end: addIntervals(found.anchor_at, periods, before.interval),
    trial_ends_at: null,
    event_seq: before.event_seq + 1,
    updated_at: now > before.updated_at ? now : before.updated_at,
  }
  const document = subscriptionDocument(after)
  const values = commandValues({
    ...{ shopId, key, document },
    action: 'subscriptions.renew',
    route: '/shops/{shop}/subscriptions/{id}/renew',
    objectType: 'subscription',
    before: toSubscription(before),
    after: toSubscription(after),
    events: ['subscription.renewed'],
    sequence: after.event_seq,
  })
  const more = [after.current_period_end, document, before.event_seq, after.updated_at, position]
  const [written] = await rows<SubscriptionRow>(RENEW, [...values, ...more])
  if (written === undefined) throw new Error('The membership was changed meanwhile.')
  return Buffer.from(`{"data":${written.document}}`)
}
