// A call that succeeds for each route of the back office that changes something, with what must have happened before it.
import { randomUUID } from 'node:crypto'
import type { WebhookDelivery } from '#contracts/objects/webhook'
import { onServer } from '../database.ts'
import { until } from '../until.ts'
import { makeAgent, makeAgentRequest } from './agents.ts'
import type { Stack } from './stack.ts'

/** The path below `/admin/v1`; a text as the body is a file. */
export type ChangingCall = [path: string, body?: object | string]
type Prepare = () => Promise<ChangingCall>

const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 5_000 }, quantity: 1 }
const file = 'Handle,Title,Variant Price\nmug,Mug,9.50\n'

/** By action. `receiverUrl` takes webhooks. */
export function changingCalls(stack: Stack, receiverUrl: string): Record<string, Prepare> {
  const make = async (path: string, body?: object) => (await stack.admin('POST', path, body as never)).data as Made
  const shopPath = async () => `/shops/${(await stack.makeShop()).id}`
  const email = () => `${randomUUID()}@shop.example`

  const inShop = (path: string, body?: object | string) => async (): Promise<ChangingCall> => [
    `${await shopPath()}${path}`,
    body,
  ]
  /** A call on an object that is made before, and then moved. */
  const on =
    (list: string, object: object, verb: string, body?: object, moves: [string, object?][] = []) =>
    async (): Promise<ChangingCall> => {
      const shop = await shopPath()
      const { id } = await make(`${shop}${list}`, object)
      for (const [move, sent] of moves) await make(`${shop}${list}/${id}/${move}`, sent ?? {})
      return [`${shop}${list}/${id}${verb}`, body]
    }
  const product = { title: 'Lamp', kind: 'physical', price: { cents: 900 } }
  const paid = { paymentMethod: 'card', items: [line], customer: { name: 'Ada', email: 'ada@example.com' } }
  const unpaid = { ...paid, paymentMethod: 'bank_transfer' }
  const booked = { ...paid, booking: { scheduledFor: '2027-06-01T09:00:00Z', serviceLocation: 'Room 1' } }
  const order = (verb: string, body: object = {}, moves: [string, object?][] = [], placed: object = paid) =>
    on('/orders', placed, `/${verb}`, body, moves)
  const endpoint = { url: receiverUrl }
  const ofEndpoint = (verb: string, body?: object) => on('/webhook-endpoints', endpoint, verb, body)
  const key = { name: 'till', access: 'read' }
  const operator = () => ({ name: 'Mina', email: email(), role: 'owner' })
  const ofOperator = (verb: string, body?: object) => async (): Promise<ChangingCall> => [
    `/operators/${(await make('/operators', operator())).id}${verb}`,
    body,
  ]

  async function membership(): Promise<[shop: string, body: object]> {
    const shop = await shopPath()
    const club = { title: 'Club', kind: 'membership', price: { cents: 900 }, membership: { interval: 'month' } }
    const { id: productId } = await make(`${shop}/products`, club)
    const { id: clientId } = await make(`${shop}/contacts`, { name: 'Ada', email: 'ada@example.com' })
    return [shop, { productId, clientId, billingMode: 'processor' }]
  }
  const ofMembership =
    (verb: string, moves: string[] = []) =>
    async (): Promise<ChangingCall> => {
      const [shop, body] = await membership()
      const { id } = await make(`${shop}/subscriptions`, body)
      for (const move of moves) await make(`${shop}/subscriptions/${id}/${move}`, {})
      return [`${shop}/subscriptions/${id}/${verb}`, {}]
    }

  async function delivery(): Promise<ChangingCall> {
    const shop = await shopPath()
    const { id } = await make(`${shop}/webhook-endpoints`, endpoint)
    await make(`${shop}/orders`, unpaid) // One event, so that nothing else is under way.
    const found = await until(async () => {
      const { data } = await stack.admin('GET', `${shop}/webhook-endpoints/${id}/deliveries?status=delivered`)
      return (data as WebhookDelivery[])[0]
    })
    return [`${shop}/deliveries/${found.id}/retry`, {}]
  }
  const from = new Date(Date.now() - 3_600_000).toISOString()
  async function replay(): Promise<ChangingCall> {
    const [path] = await ofEndpoint('/replay')()
    const { id } = await make(path, { from })
    return [`${path}s/${id}`]
  }

  /** One that runs, for all that is known. */
  async function runningImport(): Promise<ChangingCall> {
    const shop = await stack.makeShop()
    const id = randomUUID()
    await onServer(
      stack.databaseUrl,
      `insert into auth.imports (id, shop_id, dry_run, status, created_at, updated_at)
       values ('${id}', '${shop.id}', false, 'running', now(), now())`,
    )
    return [`/shops/${shop.id}/imports/${id}/cancel`, {}]
  }

  const view = { path: '/s/demo/orders?status=new' }

  /** A message that was set aside, of which nothing else is known. */
  const parked = (schema: string, verb: string, body?: object) => async (): Promise<ChangingCall> => {
    const id = randomUUID()
    await onServer(
      stack.databaseUrl,
      `insert into ${schema}.outbox_failures (message_id, topic, shop_id, object_id, failures, last_error, created_at, retry_at, parked_at)
       values ('${id}', 'order.placed', '${randomUUID()}', '${id}', 20, 'server_error', now(), now(), now())`,
    )
    return [`/outbox/${schema}/${id}${verb}`, body]
  }
  const ofOutbox = (schema: string) => ({
    [`${schema}.retry_parked`]: parked(schema, '/retry', {}),
    [`${schema}.drop_parked`]: parked(schema, ''),
  })

  return {
    'shops.create': async () => [
      '/shops',
      { handle: `shop-${randomUUID().slice(0, 8)}`, name: 'A shop', currency: 'GBP', timeZone: 'UTC' },
    ],
    'shops.change': inShop('', { name: 'Another name' }),
    'shops.delete': async () => {
      const { id, handle } = await stack.makeShop()
      return [`/shops/${id}`, { handle }]
    },
    'keys.create': inShop('/keys', key),
    'keys.roll': on('/keys', key, '/roll', {}),
    'keys.revoke': on('/keys', key, ''),
    'agent.approve': async () => {
      const { id: shop } = await stack.makeShop()
      return [`/authorizations/${await makeAgentRequest(stack)}/approve`, { shop, access: 'read' }]
    },
    'agent.refuse': async () => [`/authorizations/${await makeAgentRequest(stack)}/refuse`, {}],
    'agent.revoke': async () => {
      const shop = await shopPath()
      return [`${shop}/agents/${await makeAgent(stack, shop.split('/').at(-1) ?? '')}`]
    },
    'products.create': inShop('/products', product),
    'products.change': on('/products', product, '', { title: 'Big lamp' }),
    'products.delete': on('/products', product, ''),
    'contacts.save': inShop('/contacts', { name: 'Ada', email: 'ada@example.com' }),
    'contacts.data': on('/contacts', { name: 'Ada', email: 'ada@example.com' }, '/data'),
    'contacts.erase': on('/contacts', { name: 'Ada', email: 'ada@example.com' }, '/erase', {}),
    'orders.place': inShop('/orders', paid),
    'orders.change': on('/orders', paid, '', { address: { city: 'Leeds' } }),
    'orders.confirm': order('confirm'),
    'orders.mark_paid': order('mark-paid', {}, [], unpaid),
    'orders.payment_pending': order('payment-pending', {}, [], unpaid),
    'orders.payment_failed': order('payment-failed', {}, [['payment-pending']], unpaid),
    'orders.ship': order('ship', { trackingNumber: 'AB1' }),
    'orders.complete': order('complete', {}, [['ship']]),
    'orders.cancel': order('cancel', { refund: true }),
    'orders.refund': order('refund', { amount: { cents: 1_200 } }),
    'orders.dispute': order('dispute'),
    'orders.resolve_dispute': order('resolve-dispute', { outcome: 'won' }, [['dispute']]),
    'orders.reschedule': order('reschedule', { serviceLocation: 'Room 2' }, [], booked),
    'subscriptions.create': async () => {
      const [shop, body] = await membership()
      return [`${shop}/subscriptions`, body]
    },
    'subscriptions.renew': ofMembership('renew'),
    'subscriptions.payment_failed': ofMembership('payment-failed'),
    'subscriptions.cancel': ofMembership('cancel'),
    'subscriptions.resume': ofMembership('resume', ['cancel']),
    'subscriptions.end': ofMembership('end'),
    'subscriptions.change_settings': inShop('/subscription-settings', { unrecovered: 'unpaid' }),
    'endpoints.create': inShop('/webhook-endpoints', endpoint),
    'endpoints.change': ofEndpoint('', { description: 'Stock' }),
    'endpoints.delete': ofEndpoint(''),
    'endpoints.rotate_secret': ofEndpoint('/rotate-secret', {}),
    'endpoints.test': ofEndpoint('/test', {}),
    'deliveries.retry': delivery,
    'replays.create': ofEndpoint('/replay', { from }),
    'replays.cancel': replay,
    'imports.cancel': runningImport,
    'imports.begin': inShop('/imports?format=shopify-products', file),
    'operators.create': async () => ['/operators', operator()],
    'operators.change': ofOperator('', { name: 'Minna' }),
    'operators.disable': ofOperator('/disable', {}),
    'operators.create_link': ofOperator('/sign-in-links', {}),
    'operators.end_sessions': ofOperator('/sessions'),
    'operator_tokens.create': ofOperator('/tokens', { name: 'laptop' }),
    'operator_tokens.revoke': async () => {
      const [path] = await ofOperator('/tokens')()
      return [`${path}/${(await make(path, { name: 'laptop' })).id}`]
    },
    'views.save': async () => [`/me/views/${randomUUID()}`, view],
    'views.delete': async () => {
      const path = `/me/views/${randomUUID()}`
      await stack.admin('PUT', path, view)
      return [path]
    },
    ...ofOutbox('catalog'),
    ...ofOutbox('contacts'),
    ...ofOutbox('orders'),
    ...ofOutbox('subscriptions'),
    ...ofOutbox('webhooks'),
  }
}

type Made = { id: string }
