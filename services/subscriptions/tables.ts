// The tables of the subscriptions schema, as TypeORM and TypeScript see them. docs/spec/data-model.md#schema-subscriptions
import type { EntitySchemaColumnOptions, EntitySchemaOptions } from 'typeorm'
import type { MembershipInterval } from '#contracts/objects/product'
import type { BillingMode, ManualPaymentMethod, SubscriptionStatus } from '#contracts/objects/subscription'

/** 23 hours without a first payment, the end of a trial or period, the end of the grace. */
export type TimedMove = 'first_payment_over' | 'period_over' | 'grace_over'
export type RequestedMove = 'renew' | 'payment_failed' | 'cancel' | 'resume' | 'end'
/** The name of a move, as its history has it. */
export type MoveName = RequestedMove | TimedMove

export type SubscriptionRow = {
  shop_id: string
  id: string
  status: SubscriptionStatus
  product_id: string
  client_id: string
  price_cents: number
  currency: string
  interval: MembershipInterval
  billing_mode: BillingMode
  payment_method: ManualPaymentMethod | null
  /** Periods are counted from here; null until the first one is known. */
  anchor_at: Date | null
  /** How many intervals after the anchor the current period ends. */
  periods: number
  current_period_end: Date | null
  cancel_at_period_end: boolean
  canceled_at: Date | null
  trial_ends_at: Date | null
  started_at: Date | null
  /** How many events the membership has fired. */
  event_seq: number
  document: string
  created_at: Date
  updated_at: Date
}

export type SubscriptionKey = Pick<SubscriptionRow, 'shop_id' | 'id'>

/** The columns that the wire JSON is made of. */
export type SubscriptionFacts = Omit<SubscriptionRow, 'document'>

/** A move that was made. `position` counts the moves of a membership from 1; `who` is a key, the back office or the timer. */
export type HistoryRow = {
  subscription_id: string
  position: number
  at: Date
  who: string
  move: MoveName | 'create'
  from_status: SubscriptionStatus | null
  to_status: SubscriptionStatus
}

/** The next move that time makes, at most one for each membership. */
export type TimerRow = {
  shop_id: string
  subscription_id: string
  move: TimedMove
  due_at: Date
  lease_until: Date | null
  lease_token: string | null
}

const uuid: EntitySchemaColumnOptions = { type: 'uuid' }
const text: EntitySchemaColumnOptions = { type: 'text' }
const bigint: EntitySchemaColumnOptions = { type: 'bigint' }
const instant: EntitySchemaColumnOptions = { type: 'timestamptz', precision: 3 }
const primary = { primary: true }
const nullable = { nullable: true }

const subscriptionColumns: Record<keyof SubscriptionRow, EntitySchemaColumnOptions> = {
  shop_id: { ...uuid, ...primary },
  id: { ...uuid, ...primary },
  status: text,
  product_id: uuid,
  client_id: uuid,
  price_cents: bigint,
  currency: text,
  interval: text,
  billing_mode: text,
  payment_method: { ...text, ...nullable },
  anchor_at: { ...instant, ...nullable },
  periods: { type: 'integer' },
  current_period_end: { ...instant, ...nullable },
  cancel_at_period_end: { type: 'boolean' },
  canceled_at: { ...instant, ...nullable },
  trial_ends_at: { ...instant, ...nullable },
  started_at: { ...instant, ...nullable },
  event_seq: bigint,
  document: text,
  created_at: instant,
  updated_at: instant,
}

const timerColumns: Record<keyof TimerRow, EntitySchemaColumnOptions> = {
  shop_id: { ...uuid, ...primary },
  subscription_id: { ...uuid, ...primary },
  move: text,
  due_at: instant,
  lease_until: { ...instant, ...nullable },
  lease_token: { ...uuid, ...nullable },
}

export const SubscriptionTable: EntitySchemaOptions<SubscriptionRow> = {
  name: 'subscriptions',
  columns: subscriptionColumns,
}
export const TimerTable: EntitySchemaOptions<TimerRow> = { name: 'timers', columns: timerColumns }

/** The columns in the order of the type above, for statements that write whole rows. */
export const subscriptionColumnNames = Object.keys(subscriptionColumns) as (keyof SubscriptionRow)[]

/** The columns that a move may change. */
export const movedColumns = [
  'status',
  'anchor_at',
  'periods',
  'current_period_end',
  'cancel_at_period_end',
  'canceled_at',
  'trial_ends_at',
  'started_at',
  'event_seq',
  'document',
  'updated_at',
] as const satisfies (keyof SubscriptionRow)[]
