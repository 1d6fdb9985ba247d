// What the command line adds to the table of routes: for each command that is one call of the back office, an example and what differs
// from the rule. office-commands.ts makes the commands: their words follow from the action, arguments and options from what the route
// takes, the output from what it answers. The compiler refuses a route that no row and no other command calls.
import type { RoutedAction } from '#contracts/back-office/routes'
import type { OutboxSchema } from '#contracts/outbox-messages'
import type { Json } from './back-office.ts'
import type { Given } from '../command.ts'
import type { Values } from './fields.ts'
import { followReplay, showAttempt, showEnded } from './show-answer.ts'
import { followRequests } from '../events/follow-requests.ts'

export type Row = {
  /** What follows the words in the help. */
  example: string
  /** The words of the command where they do not follow from the action (`wordsOf`). */
  words?: string
  /** The field of the body that is an argument: `webhooks create <url>`. */
  argument?: string
  /** Flags of fields whose own name means something else already. */
  names?: Record<string, string>
  defaults?: Values
  /** Shows the answer where that takes more than writing it; returns the exit status. `path` is that of the call. */
  show?: (answer: Json, given: Given, path: string) => Promise<number>
  /** What `--follow` does instead of a list. */
  follow?: (given: Given) => Promise<void>
}

/** What the help says about each group of commands, in the order of the help. */
export const groups: Record<string, string> = {
  shops: 'the shops of the installation',
  keys: 'the API keys of a shop, and their use',
  agents: 'agents that have access to a shop, or ask for it',
  requests: 'requests of the keys of a shop that were not answered 2xx',
  products: 'the products of a shop',
  contacts: 'the contacts of a shop',
  orders: 'orders, and the commands that move them',
  subscriptions: 'memberships, and the commands that move them',
  events: 'the event log',
  webhooks: 'the endpoints that receive events',
  deliveries: 'deliveries to endpoints, and their answers',
  imports: 'the imports of a shop',
  archive: 'a whole shop as one file',
  operators: 'the operators of the back office',
  views: 'paths of the console that you have named',
  outbox: 'messages between services that were parked',
  'secret-key': 'how a rotation of SECRET_KEY stands',
}

const item = `'[{"title":"Mug","kind":"physical","quantity":1,"unitPrice":{"cents":1250}}]'`

/** By action, in the order of the help. */
const rows = {
  'shops.list': { example: '' },
  'shops.get': { example: 'demo' },
  'shops.create': {
    example: '--handle tea --name "Tea and Sons" --currency GBP --time-zone Europe/London --mode test',
  },
  'shops.change': { example: 'demo --owner-email mina@example.com' },
  'keys.list': { example: '' },
  'keys.create': { example: '--name till --access write', defaults: { access: 'read' } },
  'keys.roll': { example: 'latest --overlap-seconds 3600' },
  'keys.revoke': { example: 'latest' },
  'agent.list': { words: 'agents list', example: '' },
  'agent.get': { words: 'agents show', example: 'latest' },
  'agent.authorization': { words: 'agents request', example: 'ID' },
  'agent.approve': {
    words: 'agents approve',
    example: 'ID --to-shop demo --access read --expires-in-days 7',
    names: { shop: 'to-shop' },
    defaults: { access: 'read' },
  },
  'agent.refuse': { words: 'agents refuse', example: 'ID' },
  'agent.revoke': { words: 'agents revoke', example: 'latest', show: showEnded },
  'usage.list': { words: 'keys usage', example: '--minutes 60' },
  'requests.list': { example: '--status 404 --created-after 1h', follow: followRequests },
  'products.list': { example: '--kind physical --limit 100' },
  'products.get': { example: 'latest' },
  'products.create': { example: '--title "Blue mug" --price-cents 1250' },
  'products.change': { example: 'latest --price-cents 1400' },
  'products.delete': { example: 'latest' },
  'contacts.list': { example: '--tag vip' },
  'contacts.get': { example: 'latest' },
  'contacts.save': { example: '--email ada@example.com --tags vip,press' },
  'contacts.erase': { example: 'latest' },
  'orders.list': { example: '--status new --created-after 7d' },
  'orders.get': { example: 'latest' },
  'orders.place': { example: `--payment-method card --items ${item}` },
  'orders.change': { example: 'latest --private-note "call first"' },
  'orders.history': { example: 'latest' },
  'orders.confirm': { example: 'latest' },
  'orders.mark_paid': { example: 'latest' },
  'orders.payment_pending': { example: 'latest' },
  'orders.payment_failed': { example: 'latest' },
  'orders.ship': { example: 'latest --tracking-number 1Z999' },
  'orders.complete': { example: 'latest' },
  'orders.cancel': { example: 'latest --refund' },
  'orders.refund': { example: 'latest --amount-cents 500' },
  'orders.dispute': { example: 'latest --reason "never arrived"' },
  'orders.resolve_dispute': { example: 'latest --outcome won' },
  'orders.reschedule': { example: 'latest --scheduled-for 2027-01-31T10:00:00Z' },
  'subscriptions.list': { example: '--status active' },
  'subscriptions.get': { example: 'latest' },
  'subscriptions.create': { example: '--product-id ID --client-id ID --billing-mode processor' },
  'subscriptions.history': { example: 'latest' },
  'subscriptions.renew': { example: 'latest' },
  'subscriptions.payment_failed': { example: 'latest --last-attempt' },
  'subscriptions.cancel': { example: 'latest' },
  'subscriptions.resume': { example: 'latest' },
  'subscriptions.end': { example: 'latest' },
  'subscriptions.settings': { example: '' },
  'subscriptions.change_settings': { example: '--unrecovered unpaid' },
  'events.list': { example: '--type order.paid' },
  'events.get': { example: 'latest' },
  'endpoints.list': { example: '' },
  'endpoints.get': { example: 'latest' },
  'endpoints.health': { example: 'latest' },
  'endpoints.create': { example: 'https://example.com/hook --events order.*,booking.confirmed', argument: 'url' },
  'endpoints.change': { example: 'latest --no-enabled', names: { url: 'receiver' } },
  'endpoints.delete': { example: 'latest' },
  'endpoints.rotate_secret': { example: 'latest --overlap-seconds 3600' },
  'endpoints.test': { example: 'latest --event order.shipped', show: showAttempt },
  'replays.create': { words: 'webhooks replay', example: 'latest --from 12h --which missed', show: followReplay },
  'replays.list': { words: 'webhooks replays', example: 'latest' },
  'replays.get': { words: 'webhooks show-replay', example: 'latest latest' },
  'replays.cancel': { words: 'webhooks cancel-replay', example: 'latest latest' },
  'deliveries.get': { example: 'latest' },
  'deliveries.retry': { example: 'latest', show: showAttempt },
  'imports.list': { example: '' },
  'imports.get': { example: 'latest' },
  'imports.cancel': { example: 'latest' },
  'operators.list': { example: '' },
  'operators.get': { example: 'latest' },
  'operators.create': { example: '--name Mina --email mina@example.com --role owner' },
  'operators.change': { example: 'latest --name "Mina M."' },
  'operator_tokens.create': { words: 'operators create-token', example: 'latest --name deploy' },
  'operator_tokens.list': { words: 'operators tokens', example: 'latest' },
  'operator_tokens.revoke': { words: 'operators revoke-token', example: 'latest latest' },
  'operators.end_sessions': { example: 'latest' },
  'operators.disable': { example: 'latest' },
  'views.list': { example: '' },
  'views.save': { example: '"New orders" --path "/s/demo/orders?status=new"' },
  'views.delete': { example: '"New orders"' },
  'secret_key.get': { words: 'secret-key show', example: '' },
} satisfies { [Action in RoutedAction]?: Row }

/** Each row with its action and the words of its command. */
export const table = Object.entries<Row>(rows).map(([action, row]) => ({
  action: action as keyof typeof rows,
  row,
  words: row.words ?? wordsOf(action),
}))

/** The commands that make the other calls, each among several. */
export const otherCommands: Record<Exclude<RoutedAction, keyof typeof rows>, string> = {
  'imports.begin': 'import',
  'orders.export': 'export',
  'products.export': 'export',
  'contacts.export': 'export',
  'subscriptions.export': 'export',
  'shops.delete': 'shops delete',
  'contacts.data': 'contacts data',
  'deliveries.list': 'deliveries list',
  'deliveries.list_all': 'deliveries list',
  'operators.create_link': 'operators link',
  'audit.list': 'audit',
  'audit.list_all': 'audit',
  ...ofOutbox('catalog'),
  ...ofOutbox('contacts'),
  ...ofOutbox('orders'),
  ...ofOutbox('subscriptions'),
  ...ofOutbox('webhooks'),
}

/** `orders.mark_paid` is `orders mark-paid`, `orders.get` is `orders show`. */
function wordsOf(action: string): string {
  const [noun = '', verb = ''] = action.split('.')
  const group = noun === 'endpoints' ? 'webhooks' : noun
  return `${group} ${verb === 'get' ? 'show' : verb.replaceAll('_', '-')}`
}

function ofOutbox<Schema extends OutboxSchema>(schema: Schema) {
  return {
    [`${schema}.list_parked`]: 'outbox list',
    [`${schema}.retry_parked`]: 'outbox retry',
    [`${schema}.drop_parked`]: 'outbox drop',
  } as Record<`${Schema}.${'list' | 'retry' | 'drop'}_parked`, string>
}
