// What a membership of an export becomes, as a pure function. docs/spec/imports.md#our-own-files
import type { SubscriptionFields } from '#contracts/input/exported'
import { type Facts, importProblem, linkOf, type Plan, type Warning } from '#postgres/import/import-objects'
import { subscriptionDocument } from '../shape.ts'
import type { SubscriptionFacts, SubscriptionRow } from '../tables.ts'

export type SubscriptionPlan = Plan & { row: SubscriptionRow }
type Shop = { shopId: string; currency: string }

/** Refuses invalid_request; `problem` of the refusal is the code for the import report. */
export function planSubscription(
  before: SubscriptionRow | null,
  fields: SubscriptionFields,
  shop: Shop,
  facts: Facts,
): SubscriptionPlan {
  const warnings: Warning[] = []
  if (before !== null && fields.createdAt !== undefined && fields.createdAt.getTime() !== before.created_at.getTime()) {
    warnings.push({ code: 'created_at_stays', message: 'createdAt of an object that is here stays as it is.' })
  }
  const changed = { ...(before ?? newRow(fields, shop, facts)), ...columnsOf(before, fields, facts.links, warnings) }
  const row = before === null || fields.anchorAt !== undefined ? withAnchor(changed, fields) : changed
  check(row)
  const document = subscriptionDocument(row)
  const isShownSame = before !== null && document === before.document
  const isSame = isShownSame && isSameAnchor(row, before)
  if (isShownSame) return { isSame, warnings, row: { ...row, document } }
  const stamped = { ...row, updated_at: facts.now > row.updated_at ? facts.now : row.updated_at }
  return { isSame, warnings, row: { ...stamped, document: subscriptionDocument(stamped) } }
}

function newRow(fields: SubscriptionFields, { shopId, currency }: Shop, { id, now }: Facts): SubscriptionFacts {
  const { status, productId, clientId, price, interval, billingMode } = fields
  const created = fields.createdAt ?? now
  if (created > now) throw importProblem('bad_date', 'createdAt must not lie in the future.')
  const needed = { status, productId, clientId, price, interval, billingMode }
  const missing = Object.entries(needed).find(([, value]) => value === undefined)
  if (missing !== undefined) throw importProblem('missing_field', `A new membership needs ${missing[0]}.`)
  return {
    id,
    shop_id: shopId,
    status: status ?? 'active',
    product_id: productId ?? '',
    client_id: clientId ?? '',
    price_cents: price ?? 0,
    currency,
    interval: interval ?? 'month',
    billing_mode: billingMode ?? 'manual',
    payment_method: null,
    anchor_at: null,
    periods: 0,
    current_period_end: null,
    cancel_at_period_end: false,
    canceled_at: null,
    trial_ends_at: null,
    started_at: null,
    event_seq: 0,
    created_at: created,
    updated_at: created,
  }
}

function columnsOf(
  before: SubscriptionRow | null,
  fields: SubscriptionFields,
  links: Facts['links'],
  warnings: Warning[],
): Partial<SubscriptionFacts> {
  // The membership of a deleted product or an erased contact goes on and keeps the id, here as in the shop that it comes from.
  const link = (given: string | undefined, stored: string | null, code: string, noun: string) => {
    if (given === undefined) return undefined
    const found = linkOf(given, stored, links)
    if (found === null)
      warnings.push({ code, message: `The shop has no ${noun} ${given}; the membership keeps that id.` })
    return found ?? given.toLowerCase()
  }
  const columns = {
    status: fields.status,
    product_id: link(fields.productId, before?.product_id ?? null, 'unknown_product', 'product'),
    client_id: link(fields.clientId, before?.client_id ?? null, 'unknown_contact', 'contact'),
    price_cents: fields.price,
    interval: fields.interval,
    billing_mode: fields.billingMode,
    payment_method: fields.paymentMethod,
    periods: fields.periods,
    current_period_end: fields.currentPeriodEnd,
    cancel_at_period_end: fields.cancelAtPeriodEnd,
    canceled_at: fields.canceledAt,
    trial_ends_at: fields.trialEndsAt,
    started_at: fields.startedAt,
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

/** Without the anchor of its periods a membership counts them from the end of the current one. */
function withAnchor(row: SubscriptionFacts, { anchorAt, periods }: SubscriptionFields): SubscriptionFacts {
  if (anchorAt !== undefined) return { ...row, anchor_at: anchorAt }
  return { ...row, anchor_at: row.current_period_end, periods: row.current_period_end === null ? 0 : (periods ?? 0) }
}

/** The rules of docs/spec/subscription-states.md that one row can break. */
function check(row: SubscriptionFacts): void {
  const { status, canceled_at, cancel_at_period_end, started_at, current_period_end, anchor_at } = row
  const refuseUnless = (isRight: boolean, field: string, words: string) => {
    if (!isRight) throw importProblem('wrong_state', `${field} ${words}.`)
  }
  refuseUnless(
    row.billing_mode === 'manual' || row.payment_method === null,
    'paymentMethod',
    'is for manual billing only',
  )
  refuseUnless(
    (status === 'trialing') === (row.trial_ends_at !== null),
    'trialEndsAt',
    'must be there in a trial, and only then',
  )
  const isBegun = status === 'canceled' || (status === 'incomplete') === (started_at === null)
  refuseUnless(isBegun, 'startedAt', 'must be empty before the first payment, and only then')
  const none = [anchor_at, current_period_end, started_at].filter((instant) => instant === null).length
  refuseUnless(none === 0 || none === 3, 'currentPeriodEnd', 'must be there exactly where startedAt and anchorAt are')
  refuseUnless(
    !cancel_at_period_end || canceled_at !== null,
    'canceledAt',
    'must be there where cancelAtPeriodEnd is true',
  )
  const isAsked = status === 'canceled' || cancel_at_period_end || canceled_at === null
  refuseUnless(isAsked, 'canceledAt', 'must be empty where nobody asked to stop')
  const isLive = !cancel_at_period_end || (status !== 'incomplete' && status !== 'unpaid')
  refuseUnless(isLive, 'cancelAtPeriodEnd', `cannot be true while the membership is ${status}`)
}

function isSameAnchor(row: SubscriptionFacts, before: SubscriptionRow): boolean {
  return row.anchor_at?.getTime() === before.anchor_at?.getTime() && row.periods === before.periods
}
