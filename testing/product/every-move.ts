// A shop that went through every kind of change: products with variants, imports, opt-in and its withdrawal, an erasure, every move of
// orders and memberships that a call can make, refunds, disputes, bookings, endpoints, events.
import { randomUUID } from 'node:crypto'
import { openClient } from '../database.ts'
import type { MailReceiver } from '../servers/mail-receiver.ts'
import { until } from '../until.ts'
import { exchange } from './http.ts'
import type { Stack } from './stack.ts'

type Json = { [field: string]: unknown }
export type FullShop = { id: string; handle: string }

const token = 'an-operator-token-for-tests-only'
const mug = { title: 'Mug “ÆØÅ” 🫖', kind: 'physical', unitPrice: { cents: 1_250 }, quantity: 2 }
const customer = { name: 'Ada Lovelace', email: 'Ada@Example.com', phone: '+442079460958' }
const productsFile = `Handle,Title,Variant Price,Option1 Name,Option1 Value,Variant SKU
lamp,Lamp,9.50,Size,1,L-1
lamp,,10.50,Size,2,L-2
`
const ordersFile = `Name,Email,Financial Status,Created at,Currency,Subtotal,Shipping,Taxes,Total,Lineitem quantity,Lineitem name,Lineitem price
#1001,grace@example.com,paid,2025-05-01 10:00:00 +0000,GBP,19.00,0.00,0.00,19.00,2,Lamp - 1,9.50
`

/** `mails` receives what the product sends. Resolves when every event of the shop has reached the event log. */
export async function makeFullShop(stack: Stack, mails: MailReceiver): Promise<FullShop> {
  const handle = `full-${randomUUID().slice(0, 8)}`
  const { id } = await stack.makeShop({ handle, name: 'Every move', country: 'GB', ownerEmail: 'owner@example.com' })
  const path = `/shops/${handle}`
  const make = async (where: string, body: Json = {}) =>
    (await stack.admin('POST', `${path}${where}`, body)).data as { id: string } & Json
  const move = (order: { id: string }, verb: string, body: Json = {}) => make(`/orders/${order.id}/${verb}`, body)
  const place = (body: Json = {}) => make('/orders', { paymentMethod: 'card', customer, items: [mug], ...body })

  await importFile(stack, path, 'shopify-products', productsFile)
  await importFile(stack, path, 'shopify-orders', ordersFile)
  const shirt = await make('/products', {
    title: 'Shirt',
    kind: 'physical',
    price: { cents: 2_000 },
    tags: ['new', 'cotton'],
    trackInventory: true,
    variants: [
      { options: { Size: 'M', Colour: 'red' }, stock: 10 },
      { options: { Size: 'L', Colour: 'red' }, stock: 10 },
    ],
  })
  const [variant] = shirt.variants as { id: string }[]
  const gone = await make('/products', { title: 'Gone', kind: 'digital', price: { cents: 100 } })

  await make('/webhook-endpoints', { url: 'https://example.com/hook', events: ['order.*'], enabled: false })
  await make('/webhook-endpoints', { url: 'https://example.com/all', description: 'Everything', enabled: false })
  const rotated = await make('/webhook-endpoints', { url: 'https://example.com/rotated', enabled: false })
  await make(`/webhook-endpoints/${rotated.id}/rotate-secret`, { overlapSeconds: 3_600 })

  const { secret: key } = await stack.makeKey(id, 'write')
  for (const [email, answer] of [
    ['yes@example.com', ''],
    ['not-me@example.com', '/not-me'],
    ['silent@example.com', null],
  ] as const) {
    await stack.post('/api/v1/contacts', { key, json: { email, name: 'Bea', tags: ['letter'], sendOptIn: true } })
    if (answer === null) continue
    const raw = mails.mails.findLast(({ to }) => to.includes(email))?.raw.replaceAll('=\r\n', '') ?? ''
    const [, link = ''] = /\/opt-in\/([A-Za-z0-9_-]{43})/.exec(raw) ?? []
    await exchange(stack.ports[0] ?? 0, `/opt-in/${link}${answer}`, { method: 'POST' })
  }
  const ada = await make('/contacts', { ...customer, tags: ['vip'], marketingConsentAt: '2026-01-02T03:04:05.678Z' })
  const eve = await make('/contacts', { name: 'Eve', email: 'eve@example.com', privateNote: 'met at the fair' })

  await place({ note: 'A note with ${not} "markup" \\ and a line\nbreak' })
  const line = { productId: shirt.id, variantId: variant?.id, quantity: 1 }
  const transferred = await place({ paymentMethod: 'bank_transfer', items: [line] })
  for (const verb of ['payment-pending', 'payment-failed', 'payment-pending', 'mark-paid'])
    await move(transferred, verb)
  await stack.admin('PATCH', `${path}/orders/${transferred.id}`, {
    privateNote: 'rings twice',
    address: { line1: '2 Low Street', city: 'Leeds', country: 'GB' },
  })
  await place({ paymentMethod: 'cod', delivery: { method: 'collection', pickupLocation: 'Shop' }, items: [line] })
  await place({ items: [{ productId: gone.id, quantity: 1 }] })
  await move(await place(), 'confirm')
  const shipped = await place({ address: { line1: '1 High Street', city: 'York', country: 'GB' } })
  await move(shipped, 'ship', {
    trackingCarrier: 'Post',
    trackingNumber: 'AB1',
    trackingUrl: 'https://example.com/AB1',
  })
  await move(shipped, 'complete')
  await move(await place(), 'refund', { amount: { cents: 500 } })
  await move(await place(), 'refund')
  await move(await place(), 'cancel', { refund: true })
  await move(await place({ paymentMethod: 'paypal', paymentStatus: 'pending' }), 'cancel', { refund: false })
  const disputed = await place()
  await move(disputed, 'dispute', { reason: 'never arrived' })
  await move(disputed, 'resolve-dispute', { outcome: 'won' })
  await move(disputed, 'dispute', { reason: 'again' })
  const lost = await place()
  await move(lost, 'dispute', { reason: 'stolen', amount: { cents: 700 } })
  await move(lost, 'resolve-dispute', { outcome: 'lost' })
  const booked = await place({ booking: { scheduledFor: '2027-06-01T09:00:00Z', serviceLocation: 'Room 1' } })
  await move(booked, 'reschedule', { scheduledFor: '2027-06-08T09:00:00Z' })
  await place({ customer: { name: 'Eve', email: 'eve@example.com' } })

  const club = await make('/products', {
    title: 'Club',
    kind: 'membership',
    price: { cents: 900 },
    membership: { interval: 'month' },
  })
  const manual = { productId: club.id, clientId: ada.id, billingMode: 'manual', paymentMethod: 'bank_transfer' }
  await make('/subscriptions', manual)
  const yes = (await stack.admin('GET', `${path}/contacts?email=yes@example.com`)).data as { id: string }[]
  const member = await make('/subscriptions', { productId: club.id, clientId: yes[0]?.id, billingMode: 'processor' })
  for (const verb of ['renew', 'payment-failed', 'renew', 'cancel', 'resume', 'cancel'])
    await make(`/subscriptions/${member.id}/${verb}`)
  const left = await make('/subscriptions', manual)
  await make(`/subscriptions/${left.id}/end`)
  await stack.admin('PATCH', `${path}/subscription-settings`, { unrecovered: 'unpaid' })

  await stack.admin('DELETE', `${path}/products/${gone.id}`)
  await make(`/contacts/${eve.id}/erase`)
  await untilQuiet(stack)
  return { id, handle }
}

async function importFile(stack: Stack, path: string, format: string, file: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }
  const answer = await exchange(
    stack.adminPorts[0] ?? 0,
    `/admin/v1${path}/imports?format=${format}&create_contacts=true`,
    {
      method: 'POST',
      headers,
      body: file,
    },
  )
  const { data } = answer.body as { data?: { status: string; failed: number } }
  if (data?.status !== 'completed' || data.failed > 0) throw new Error(`The import answered ${answer.text}`)
}

// Messages between services and events arrive after the calls that caused them.
async function untilQuiet({ databaseUrl }: Stack): Promise<void> {
  const client = await openClient(databaseUrl)
  const unsent = ['catalog', 'contacts', 'orders', 'subscriptions', 'webhooks'].map(
    (schema) => `select from ${schema}.outbox where sent_at is null`,
  )
  const unpublished = ['orders', 'subscriptions'].map(
    (schema) => `select from ${schema}.events where published_at is null`,
  )
  const waiting = [...unsent, ...unpublished].join(' union all ')
  await until(async () => (await client.query(waiting)).rows.length === 0)
  await client.close()
}
