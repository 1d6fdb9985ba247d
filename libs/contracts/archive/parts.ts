// The parts of an archive, in the order of the file, and the tables that have no part. docs/spec/archives.md#parts
// Events come before the objects that they are about, so that no event of an archive is newer than the `event_seq` of its object.
import { forgottenProductRows, orderRows, subscriptionRows, subscriptionSettingsRows } from './order-rows.ts'
import { contactRows, suppressedMailboxRows } from './people-rows.ts'
import type { RowsFormat } from './rows.ts'
import { endpointRows, eventRows, feedRows, productRows, secretRows, shopRows } from './shop-rows.ts'

/** The version of the format; another one is refused. */
export const ARCHIVE_VERSION = 1
/** Of the events of a shop, those of so many days are archived. */
export const ARCHIVED_EVENT_DAYS = 30
export const MANIFEST = 'manifest.json'

/** The services that have parts of an archive. */
export const archivingServices = ['auth', 'webhooks', 'orders', 'subscriptions', 'contacts', 'catalog'] as const
export type ArchivingService = (typeof archivingServices)[number]
export type ArchivePart = { service: ArchivingService; rows: RowsFormat; about: string }

export const archiveParts = {
  shop: { service: 'auth', rows: shopRows, about: 'The shop itself, one row.' },
  'webhook-endpoints': { service: 'webhooks', rows: endpointRows, about: 'Webhook endpoints without their secrets.' },
  'endpoint-secrets': {
    service: 'webhooks',
    rows: secretRows,
    about: 'Signing secrets of the endpoints. Only with `--secrets`, and encrypted.',
  },
  events: { service: 'webhooks', rows: eventRows, about: 'Events of the last 30 days, by their position in the feed.' },
  'event-feed': { service: 'webhooks', rows: feedRows, about: 'The last position of the feed of events, one row.' },
  orders: { service: 'orders', rows: orderRows, about: 'Orders with lines, history, disputes and keys of imports.' },
  'forgotten-products': {
    service: 'orders',
    rows: forgottenProductRows,
    about: 'Products that were deleted: an order that is written late must not refer to them.',
  },
  subscriptions: {
    service: 'subscriptions',
    rows: subscriptionRows,
    about: 'Memberships with history and the next move that time makes.',
  },
  'subscription-settings': {
    service: 'subscriptions',
    rows: subscriptionSettingsRows,
    about: 'What becomes of an unpaid membership; no row where nobody has chosen.',
  },
  contacts: {
    service: 'contacts',
    rows: contactRows,
    about: 'Contacts with consents and their evidence, opt-in mails and keys of imports.',
  },
  'suppressed-mailboxes': {
    service: 'contacts',
    rows: suppressedMailboxRows,
    about: 'Digests of mailboxes that want no opt-in mail.',
  },
  products: { service: 'catalog', rows: productRows, about: 'Products with variants and keys of imports.' },
} as const satisfies Record<string, ArchivePart>

export type PartName = keyof typeof archiveParts
export const partNames = Object.keys(archiveParts) as [PartName, ...PartName[]]
/** The part that is encrypted, and is there with `--secrets` only. */
export const SECRETS = 'endpoint-secrets'

export function isPartName(name: string): name is PartName {
  return Object.hasOwn(archiveParts, name)
}

/** The part with that name. */
export function partOf(name: PartName): ArchivePart {
  return archiveParts[name]
}

/** The parts of a service, in the order of the file. */
export function partsOf(service: ArchivingService): PartName[] {
  return partNames.filter((name) => partOf(name).service === service)
}
