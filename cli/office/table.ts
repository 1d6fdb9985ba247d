// The commands that are one call of the back office each, one row a route. What the route takes becomes arguments and options, what it
// answers a table or an object (office-commands.ts). A test compares the rows with the routes of the gateway.
import type { ActionName } from '#contracts/actions'
import type { Json } from './back-office.ts'
import type { Given } from '../command.ts'
import type { Values } from './fields.ts'
import { followReplay, showAttempt } from './show-answer.ts'
import { followRequests } from '../events/follow-requests.ts'

export type Extra = {
  /** The field of the body that is an argument: `webhooks create <url>`. */
  argument?: string
  /** Flags of fields whose own name means something else already. */
  names?: Record<string, string>
  defaults?: Values
  /** Shows the answer where that takes more than writing it; gives the exit status. `path` is that of the call. */
  show?: (answer: Json, given: Given, path: string) => Promise<number>
  /** What `--follow` does instead of a list. */
  follow?: (given: Given) => Promise<void>
}
/** What stands in the help beside a group of commands, in the order of the help. */
export const groups: Record<string, string> = {
  shops: 'the shops of the installation',
  keys: 'the API keys of a shop, and their use',
  requests: 'what was not answered 2xx to the keys of a shop',
  products: 'what a shop sells',
  contacts: 'the people of a shop',
  orders: 'orders, and every move of them',
  subscriptions: 'memberships, and every move of them',
  events: 'the event log',
  webhooks: 'endpoints that events are sent to',
  deliveries: 'what was sent to endpoints, and what they answered',
  imports: 'the imports of a shop',
  operators: 'who may use the back office',
  outbox: 'messages between services that were set aside',
}

type Row = [words: string, action: ActionName, example: string, extra?: Extra]

const item = `'[{"title":"Mug","kind":"physical","quantity":1,"unitPrice":{"cents":1250}}]'`

export const table: Row[] = [
  ['shops list', 'shops.list', ''],
  ['shops show', 'shops.get', 'demo'],
  [
    'shops create',
    'shops.create',
    '--handle tea --name "Tea and Sons" --currency GBP --time-zone Europe/London --mode test',
  ],
  ['shops change', 'shops.change', 'demo --owner-email mina@example.com'],
  ['keys list', 'keys.list', ''],
  ['keys create', 'keys.create', '--name till --access write', { defaults: { access: 'read' } }],
  ['keys roll', 'keys.roll', 'latest --overlap-seconds 3600'],
  ['keys revoke', 'keys.revoke', 'latest'],
  ['keys usage', 'usage.list', '--minutes 60'],
  ['requests list', 'requests.list', '--status 404 --created-after 1h', { follow: followRequests }],
  ['products list', 'products.list', '--kind physical --limit 100'],
  ['products show', 'products.get', 'latest'],
  ['products create', 'products.create', '--title "Blue mug" --price-cents 1250'],
  ['products change', 'products.change', 'latest --price-cents 1400'],
  ['products delete', 'products.delete', 'latest'],
  ['contacts list', 'contacts.list', '--tag vip'],
  ['contacts show', 'contacts.get', 'latest'],
  ['contacts save', 'contacts.save', '--email ada@example.com --tags vip,press'],
  ['contacts erase', 'contacts.erase', 'latest'],
  ['orders list', 'orders.list', '--status new --created-after 7d'],
  ['orders show', 'orders.get', 'latest'],
  ['orders place', 'orders.place', `--payment-method card --items ${item}`],
  ['orders change', 'orders.change', 'latest --private-note "call first"'],
  ['orders history', 'orders.history', 'latest'],
  ['orders confirm', 'orders.confirm', 'latest'],
  ['orders mark-paid', 'orders.mark_paid', 'latest'],
  ['orders payment-pending', 'orders.payment_pending', 'latest'],
  ['orders payment-failed', 'orders.payment_failed', 'latest'],
  ['orders ship', 'orders.ship', 'latest --tracking-number 1Z999'],
  ['orders complete', 'orders.complete', 'latest'],
  ['orders cancel', 'orders.cancel', 'latest --refund'],
  ['orders refund', 'orders.refund', 'latest --amount-cents 500'],
  ['orders dispute', 'orders.dispute', 'latest --reason "never arrived"'],
  ['orders resolve-dispute', 'orders.resolve_dispute', 'latest --outcome won'],
  ['orders reschedule', 'orders.reschedule', 'latest --scheduled-for 2027-01-31T10:00:00Z'],
  ['subscriptions list', 'subscriptions.list', '--status active'],
  ['subscriptions show', 'subscriptions.get', 'latest'],
  ['subscriptions create', 'subscriptions.create', '--product-id ID --client-id ID --billing-mode processor'],
  ['subscriptions history', 'subscriptions.history', 'latest'],
  ['subscriptions renew', 'subscriptions.renew', 'latest'],
  ['subscriptions payment-failed', 'subscriptions.payment_failed', 'latest --last-attempt'],
  ['subscriptions cancel', 'subscriptions.cancel', 'latest'],
  ['subscriptions resume', 'subscriptions.resume', 'latest'],
  ['subscriptions end', 'subscriptions.end', 'latest'],
  ['subscriptions settings', 'subscriptions.settings', ''],
  ['subscriptions change-settings', 'subscriptions.change_settings', '--unrecovered unpaid'],
  ['events list', 'events.list', '--type order.paid'],
  ['events show', 'events.get', 'latest'],
  ['webhooks list', 'endpoints.list', ''],
  ['webhooks show', 'endpoints.get', 'latest'],
  [
    'webhooks create',
    'endpoints.create',
    'https://example.com/hook --events order.*,booking.confirmed',
    { argument: 'url' },
  ],
  ['webhooks change', 'endpoints.change', 'latest --no-enabled', { names: { url: 'receiver' } }],
  ['webhooks delete', 'endpoints.delete', 'latest'],
  ['webhooks rotate-secret', 'endpoints.rotate_secret', 'latest --overlap-seconds 3600'],
  ['webhooks test', 'endpoints.test', 'latest --event order.shipped', { show: showAttempt }],
  ['webhooks replay', 'replays.create', 'latest --from 12h --which missed', { show: followReplay }],
  ['webhooks replays', 'replays.list', 'latest'],
  ['webhooks show-replay', 'replays.get', 'latest latest'],
  ['webhooks cancel-replay', 'replays.cancel', 'latest latest'],
  ['deliveries show', 'deliveries.get', 'latest'],
  ['deliveries retry', 'deliveries.retry', 'latest', { show: showAttempt }],
  ['imports list', 'imports.list', ''],
  ['imports show', 'imports.get', 'latest'],
  ['operators list', 'operators.list', ''],
  ['operators show', 'operators.get', 'latest'],
  ['operators create', 'operators.create', '--name Mina --email mina@example.com --role owner'],
  ['operators change', 'operators.change', 'latest --name "Mina M."'],
  ['operators create-token', 'operator_tokens.create', 'latest --name deploy'],
  ['operators tokens', 'operator_tokens.list', 'latest'],
  ['operators revoke-token', 'operator_tokens.revoke', 'latest latest'],
  ['operators end-sessions', 'operators.end_sessions', 'latest'],
  ['operators disable', 'operators.disable', 'latest'],
]
