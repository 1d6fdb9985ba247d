// Records the examples of the OpenAPI document: `node deploy/dev/record-examples.ts BASE_URL KEY` asks a running product with a
// write key of a shop that has orders and products, and saves one contact. Events are those of Send test.
// docs/spec/integrators.md#openapi-documents
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventKinds } from '#contracts/objects/webhook-event'
import { sampleBody } from '../../services/webhooks/events/sample.ts'

type Page = { data: { id: string }[] }
type Single = { data: { id: string; currency: string } }

const [base = '', key = ''] = process.argv.slice(2)
const FILE = join(import.meta.dirname, '../../services/rest-gateway/reference/examples.json')

async function ask(path: string, json?: object): Promise<unknown> {
  const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${base}/api/v1${path}`, { headers, ...body })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return response.json()
}

const listOrders = (await ask('/orders?limit=1')) as Page
const listProducts = (await ask('/products?limit=1')) as Page
const saveContact = (await ask('/contacts', {
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  tags: ['vip'],
})) as Single
const changeContactTags = await ask(`/contacts/${saveContact.data.id}/tags`, { add: ['wholesale'] })
const getShop = (await ask('/shop')) as Single
const shop = getShop.data
const event = (kind: (typeof eventKinds)[number]) =>
  JSON.parse(sampleBody(kind, { id: crypto.randomUUID(), shopId: shop.id, currency: shop.currency, now: new Date() }))

const recorded = {
  operations: {
    listOrders,
    getOrder: await ask(`/orders/${listOrders.data[0]?.id}`),
    listProducts,
    getProduct: await ask(`/products/${listProducts.data[0]?.id}`),
    listContacts: await ask('/contacts?limit=1'),
    saveContact,
    getContact: await ask(`/contacts/${saveContact.data.id}`),
    changeContactTags,
    listEvents: await ask('/events?limit=1'),
    getShop,
  },
  events: Object.fromEntries(eventKinds.map((kind) => [kind, event(kind)])),
}
writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`)
