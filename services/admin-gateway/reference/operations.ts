// What each endpoint of the back office does, takes and answers, by its action; `reference/document.ts` renders it.
// docs/spec/reference.md#openapi-documents. The services validate bodies by the same schemas.
import type { z } from 'zod'
import { contactInput } from '#contracts/input/contact'
import { emptyInput } from '#contracts/input/fields'
import { operatorChange, operatorInput, operatorTokenInput } from '#contracts/input/operator'
import * as order from '#contracts/input/order'
import { productChange, productInput } from '#contracts/input/product'
import { keyInput, keyRoll, shopChange, shopInput } from '#contracts/input/shop'
import { paymentFailureInput, subscriptionInput, subscriptionSettingsInput } from '#contracts/input/subscription'
import { endpointChange, endpointInput, replayInput, rotationInput, testInput } from '#contracts/input/webhook'
import * as own from '#contracts/objects/back-office'
import { auditEntry } from '#contracts/objects/audit-entry'
import { contact } from '#contracts/objects/contact'
import { importRecord } from '#contracts/objects/import-record'
import { operator, operatorToken } from '#contracts/objects/operator'
import { order as orderObject } from '#contracts/objects/order'
import { outboxMessage } from '#contracts/objects/outbox-message'
import { product } from '#contracts/objects/product'
import { requestPage } from '#contracts/objects/request'
import { page, single } from '#contracts/objects/scalar'
import { apiKey, shopRecord, usage } from '#contracts/objects/shop'
import { subscription } from '#contracts/objects/subscription'
import { webhookAttempt, webhookDelivery, webhookEndpoint, webhookReplay } from '#contracts/objects/webhook'
import { event } from '#contracts/objects/webhook-event'

export type Described = { about: string; gives: z.ZodType; body?: z.ZodType | undefined }

/** By action. */
export const described: Readonly<Record<string, Described>> = {
  'shops.create': one(shopRecord, 'Creates a shop.', shopInput),
  'shops.list': many(shopRecord, 'Shops that the operator may see, newest first.'),
  'shops.get': one(shopRecord, 'One shop.'),
  'shops.change': one(shopRecord, 'Changes a shop; handle and currency never change.', shopChange),
  'keys.create': one(own.newApiKey, 'Creates an API key; a shop has at most 5 live ones.', keyInput),
  'keys.list': many(apiKey, 'API keys of the shop, newest first.'),
  'keys.roll': one(own.newApiKey, 'Gives a key that takes the place of this one; the old one overlaps.', keyRoll),
  'keys.revoke': one(apiKey, 'Revokes an API key; in force within 2 s.'),
  'products.create': one(product, 'Creates a product with its variants.', productInput),
  'products.list': many(product, 'Products, newest first; `variants` is empty here.'),
  'products.get': one(product, 'One product with its variants.'),
  'products.change': one(product, 'Changes a product; `variants` replaces the list.', productChange),
  'products.delete': one(own.deleted, 'Deletes a product; order lines keep what was sold.'),
  'contacts.save': one(contact, 'Creates a contact, or updates the one with that email or phone.', contactInput),
  'contacts.list': many(contact, 'Contacts, newest first.'),
  'contacts.get': one(contact, 'One contact.'),
  'contacts.erase': one(own.erased, 'Erases a person for good.', emptyInput),
  'orders.place': one(orderObject, 'Places an order.', order.orderInput),
  'orders.list': many(orderObject, 'Orders, newest first, each with its items.'),
  'orders.get': one(orderObject, 'One order.'),
  'orders.change': one(orderObject, 'Corrects the address, the buyer or the private note.', order.orderChange),
  'orders.history': many(own.orderMove, 'What was done to the order, newest first.'),
  'orders.confirm': one(orderObject, 'Confirms an order.', emptyInput),
  'orders.mark_paid': one(orderObject, 'The money has arrived.', emptyInput),
  'orders.payment_pending': one(orderObject, 'A payment is under way.', emptyInput),
  'orders.payment_failed': one(orderObject, 'A payment has failed.', emptyInput),
  'orders.ship': one(orderObject, 'The parcel has left.', order.shipInput),
  'orders.complete': one(orderObject, 'Completes an order.', emptyInput),
  'orders.cancel': one(orderObject, 'Cancels an order, with or without a refund.', order.cancelInput),
  'orders.refund': one(orderObject, 'Gives money back; without an amount all that is left.', order.refundInput),
  'orders.dispute': one(orderObject, 'The buyer disputes the payment.', order.disputeInput),
  'orders.resolve_dispute': one(orderObject, 'A dispute was won or lost.', order.resolveDisputeInput),
  'orders.reschedule': one(orderObject, 'Moves an appointment.', order.rescheduleInput),
  'subscriptions.create': one(subscription, 'Starts a membership.', subscriptionInput),
  'subscriptions.list': many(subscription, 'Memberships, newest first.'),
  'subscriptions.get': one(subscription, 'One membership.'),
  'subscriptions.history': many(own.subscriptionMove, 'What was done to the membership, newest first.'),
  'subscriptions.renew': one(subscription, 'An interval was paid.', emptyInput),
  'subscriptions.payment_failed': one(subscription, 'A payment has failed.', paymentFailureInput),
  'subscriptions.cancel': one(subscription, 'The member stops at the end of the period.', emptyInput),
  'subscriptions.resume': one(subscription, 'The member stays after all.', emptyInput),
  'subscriptions.end': one(subscription, 'Ends a membership now.', emptyInput),
  'subscriptions.settings': one(own.subscriptionSettings, 'What the shop has set for memberships.'),
  'subscriptions.change_settings': one(
    own.subscriptionSettings,
    'Changes the settings for memberships.',
    subscriptionSettingsInput,
  ),
  'events.list': many(event, 'Every event of the shop with its body, newest first.'),
  'events.get': one(event, 'One event.'),
  'endpoints.create': one(own.endpointWithSecret, 'Creates a webhook endpoint; a shop has at most 5.', endpointInput),
  'endpoints.list': many(webhookEndpoint, 'Webhook endpoints, newest first.'),
  'endpoints.get': one(webhookEndpoint, 'One webhook endpoint.'),
  'endpoints.change': one(webhookEndpoint, 'Changes a webhook endpoint, or turns it on or off.', endpointChange),
  'endpoints.delete': one(own.deleted, 'Deletes a webhook endpoint; what it was owed is skipped.'),
  'endpoints.rotate_secret': one(own.endpointWithSecret, 'Gives a new secret; the old one overlaps.', rotationInput),
  'endpoints.test': one(webhookAttempt, 'Sends a test event now and answers the attempt.', testInput),
  'deliveries.list': many(webhookDelivery, 'Deliveries of an endpoint, newest first.'),
  'deliveries.get': one(webhookDelivery, 'One delivery with its attempts.'),
  'deliveries.retry': one(webhookAttempt, 'Makes one attempt now, in any state, and answers it.', emptyInput),
  'replays.create': one(webhookReplay, 'Queues the events of a time range again.', replayInput),
  'replays.list': many(webhookReplay, 'Replays of an endpoint, newest first.'),
  'replays.get': one(webhookReplay, 'One replay with its progress.'),
  'replays.cancel': one(webhookReplay, 'Stops a replay.'),
  'imports.begin': one(importRecord, 'Imports a file; answers when it is finished.'),
  'imports.list': many(importRecord, 'Imports, newest first.'),
  'imports.get': one(importRecord, 'One import with its progress.'),
  'usage.list': many(usage, 'Calls and refusals of each key by the minute, oldest first.'),
  'requests.list': { about: 'Requests of the keys that were not answered 2xx, newest first.', gives: requestPage },
  'audit.list': many(auditEntry, 'What operators changed or tried to change in the shop, newest first.'),
  'audit.list_all': many(auditEntry, 'What operators changed or tried to change, and every sign-in, newest first.'),
  'operators.create': one(operator, 'Creates an operator.', operatorInput),
  'operators.list': many(operator, 'Operators, newest first.'),
  'operators.get': one(operator, 'One operator.'),
  'operators.change': one(operator, 'Changes an operator.', operatorChange),
  'operators.disable': one(operator, 'Disables an operator for good.', emptyInput),
  'operators.create_link': one(own.signInLink, 'Makes a link that signs the operator in once.', emptyInput),
  'operators.end_sessions': one(operator, 'Ends every session of the operator.'),
  'operator_tokens.create': one(
    own.newOperatorToken,
    'Creates a token; an operator has at most 5 live ones.',
    operatorTokenInput,
  ),
  'operator_tokens.list': many(operatorToken, 'Tokens of the operator, newest first.'),
  'operator_tokens.revoke': one(operatorToken, 'Revokes a token.'),
  ...ofOutbox('catalog'),
  ...ofOutbox('contacts'),
  ...ofOutbox('orders'),
  ...ofOutbox('subscriptions'),
  ...ofOutbox('webhooks'),
}

/** Descriptions by tag, in the order of the document. */
export const tags: Readonly<Record<string, string>> = {
  Shops: 'The shops of the platform and their subscription settings.',
  Keys: 'API keys of a shop.',
  Products: 'The catalogue of a shop.',
  Contacts: 'The people of a shop.',
  Orders: 'Orders, their moves and their history.',
  Subscriptions: 'Memberships, their moves and their history.',
  Events: 'The event log of a shop.',
  Webhooks: 'Webhook endpoints, deliveries and replays.',
  Imports: 'Files from other systems.',
  Usage: 'Calls by key and minute.',
  Requests: 'What was not answered 2xx to the keys of a shop.',
  Audit: 'What operators did and tried, kept for 400 days.',
  Operators: 'Who may use the back office, tokens and sessions.',
  Outbox: 'Messages between services that were refused too often.',
}

function one(object: z.ZodType, about: string, body?: z.ZodType): Described {
  return { about, gives: single(object), body }
}

function many(object: z.ZodType, about: string): Described {
  return { about, gives: page(object) }
}

function ofOutbox(schema: string): Record<string, Described> {
  return {
    [`${schema}.list_parked`]: many(outboxMessage, `Parked messages of ${schema}, the last parked first.`),
    [`${schema}.retry_parked`]: one(outboxMessage, 'Tries a parked message again.', emptyInput),
    [`${schema}.drop_parked`]: one(
      own.deleted,
      'Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried.',
    ),
  }
}
