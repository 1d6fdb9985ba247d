// What models send wrong: each call is answered as it was meant, or refused with the way out (docs/spec/mcp.md#forgiven-arguments,
// docs/spec/mcp.md#tool-errors).
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { resultOf, toldBy } from '#testing/product/mcp'
import { openStack } from '#testing/product/stack'

type Json = { [field: string]: unknown }
const stack = duringTests(() => openStack({ form: 'one-process', env: { REQUESTS_PER_MINUTE: '10000' } }))
let key: string
const ids: Record<string, string> = {}

beforeAll(async () => {
  const shop = await stack.makeShop()
  key = (await stack.makeKey(shop.id, 'write')).secret
  ids.contact = (await stack.makeContact(shop.id, { email: 'ada@example.com', tags: ['vip'] })).id
  const items = [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 1250 }, quantity: 2 }]
  const order = { paymentMethod: 'card', customer: { email: 'ada@example.com' }, items }
  for (let made = 0; made < 3; made += 1) ids.order = (await stack.makeOrder(shop.id, order)).id
})

/** `{order}` and `{contact}` in the arguments are the ids of objects that exist. */
function call(tool: string, given: Json) {
  const text = JSON.stringify(given).replaceAll(/\{(order|contact)\}/g, (_all, noun: string) => ids[noun] ?? '')
  return stack.mcp.tool(tool, JSON.parse(text) as Json, { key })
}

test.each<[string, Json, string]>([
  ['list_orders', { limit: '2' }, '/orders?limit=2'],
  ['list_orders', { limit: 5_000 }, '/orders?limit=100'],
  ['list_orders', { limit: '99999999999999999999' }, '/orders?limit=100'],
  ['list_orders', { cursor: null, status: null, email: null, fields: null, limit: null }, '/orders'],
  ['list_products', { cursor: null, kind: null, published: null, created_after: null }, '/products'],
  ['list_contacts', { cursor: null, tag: null, consented: null }, '/contacts'],
  ['list_orders', { email: ' Ada@Example.com\n' }, '/orders?email=ada%40example.com'],
  ['list_orders', { client_id: ' {contact} ' }, '/orders?client_id={contact}'],
  ['list_orders', { created_after: '2026-01-01T02:00:00+02:00' }, '/orders?created_after=2026-01-01T00:00:00Z'],
  ['get_order', { id: '{order} ', fields: null }, '/orders/{order}'],
  ['get_contact', { id: ' {contact}' }, '/contacts/{contact}'],
  ['update_contact_tags', { id: '{contact}', add: ['VIP '], remove: null }, '/contacts/{contact}'],
  ['get_shop', {}, '/shop'],
])('%s with %j is answered as %s', async (tool, given, path) => {
  const target = path.replaceAll(/\{(order|contact)\}/g, (_all, noun: string) => ids[noun] ?? '')
  const { isError, structured } = toldBy(await call(tool, given))
  expect(isError).toBe(false)
  expect(structured).toEqual((await stack.get(`/api/v1${target}`, { key })).body)
})

test('a cursor with space around it leads on, and so does a limit that is sent as text', async () => {
  const first = toldBy(await call('list_orders', { limit: 2 })).structured as { next_cursor: string }
  const second = toldBy(await call('list_orders', { limit: '2', cursor: ` ${first.next_cursor}\n` }))
  expect(second.structured).toMatchObject({ has_more: false, data: [{ object: 'order' }] })
})

test('create_contact takes null for what is not known', async () => {
  const given = { email: 'eve@example.com', phone: null, name: null, tags: null, send_opt_in: null }
  expect(toldBy(await call('create_contact', given)).structured).toMatchObject({ data: { email: 'eve@example.com' } })
})

const noUuid = 'not_found: id must be a UUID; order numbers, names and emails are no ids. Take the id from '
const never = '; this one will not be found later either.'
const invalid = (words: string, next = 'Correct it, then call again.') => `invalid_request: ${words} ${next}`
const unknown = (name: string, tool: string, takes: string) =>
  invalid(`"${name}" is not an argument of ${tool}. It takes ${takes}.`)
const ofLists = 'created_after, created_before, updated_after, updated_before, fields, limit, cursor'
const orderArguments = `status, payment_status, email, client_id, ${ofLists}`
const contactArguments = 'email, phone, name, tags, send_opt_in'
const statuses = 'new, confirmed, shipped, completed, cancelled, refunded'
const instant = (name: string) =>
  invalid(`${name} must be an instant in RFC 3339 form, for example 2026-08-12T09:30:00Z.`)
const email = invalid('email must be an email address, for example ada@example.com.')
const contactFields = 'id, object, name, email, phone, tags, source, marketingConsentAt, address, createdAt, updatedAt'
const unknownField = (name: string) =>
  invalid(`fields has "${name}", which is not the name of a field. It takes ${contactFields}.`)
const unstorableTag = 'add[0] must be text without U+0000 or broken characters.'
const badCursor = invalid(
  'cursor was not issued for this list. Send the next_cursor of the page before it, with the same filters.',
  'Or leave cursor out for the first page.',
)

const refused: [string, Json, string][] = [
  ['get_order', { id: '1001' }, `${noUuid}list_orders${never}`],
  ['get_order', { id: 1001 }, `${noUuid}list_orders${never}`],
  ['get_order', { id: '#1001' }, `${noUuid}list_orders${never}`],
  ['get_contact', { id: 'ada@example.com' }, `${noUuid}list_contacts, or an order's customer.clientId${never}`],
  ['get_product', { id: '' }, `${noUuid}list_products, or productId of an order item${never}`],
  ['update_contact_tags', { id: 'Ada', add: ['a'] }, `${noUuid}list_contacts${never}`],
  [
    'get_order',
    { id: randomUUID() },
    `not_found: No order with that id in this shop. Take the id from list_orders${never}`,
  ],
  ['get_order', {}, invalid('id is required.', 'Take it from list_orders.')],
  ['get_order', { id: null }, invalid('id is required.', 'Take it from list_orders.')],
  ['get_order', { order_id: '{order}' }, unknown('order_id', 'get_order', 'id, fields')],
  ['get_shop', { constructor: 1 }, invalid('"constructor" is not an argument of get_shop. It takes no arguments.')],
  ['list_orders', { paymentStatus: 'paid' }, unknown('paymentStatus', 'list_orders', orderArguments)],
  ['list_orders', { page: 2 }, unknown('page', 'list_orders', orderArguments)],
  ['list_orders', { status: 'paid' }, invalid(`status must be one of ${statuses}, not "paid".`)],
  ['list_orders', { status: 'New' }, invalid(`status must be one of ${statuses}, not "New".`)],
  ['list_orders', { status: 'x'.repeat(99) }, invalid(`status must be one of ${statuses}, not "${'x'.repeat(64)}…".`)],
  ['list_orders', { limit: 0 }, invalid('limit must be a positive integer.')],
  ['list_orders', { limit: '-5' }, invalid('limit must be a number.')],
  ['list_orders', { limit: 2.5 }, invalid('limit must be a whole number.')],
  ['list_orders', { limit: 'ten' }, invalid('limit must be a number.')],
  ['list_orders', { cursor: '2' }, badCursor],
  ['list_orders', { cursor: '' }, badCursor],
  ['list_orders', { created_after: '2026-01-01' }, instant('created_after')],
  ['list_orders', { updated_after: '2026-01-01T00:00:00' }, instant('updated_after')],
  ['list_products', { updated_before: 'yesterday' }, instant('updated_before')],
  ['list_contacts', { created_before: 1_767_225_600 }, invalid('created_before must be text.')],
  [
    'list_orders',
    { client_id: 'Ada' },
    invalid('client_id must be a UUID.', "Take it from list_contacts, or an order's customer.clientId."),
  ],
  ['list_orders', { email: 'Ada Lovelace' }, email],
  ['list_contacts', { email: 'ada' }, email],
  [
    'list_contacts',
    { email: 'a\u0000b@example.com' },
    invalid('email must be text without U+0000 or broken characters.'),
  ],
  ['list_contacts', { consented: 1 }, invalid('consented must be true or false.')],
  ['list_contacts', { consented: 'true' }, invalid('consented must be true or false.')],
  ['list_contacts', { tag: ' ' }, invalid('tag holds nothing that a tag could be.')],
  ['list_contacts', { fields: ['email', 'consent', 'vip'] }, unknownField('consent')],
  ['list_contacts', { fields: ['email', 1] }, unknownField('1')],
  ['list_contacts', { fields: 'email' }, invalid(`fields must be a list of names of these: ${contactFields}.`)],
  ['list_products', { published: 'yes' }, invalid('published must be true or false.')],
  ['create_contact', {}, invalid('email is required, or phone.')],
  ['create_contact', { email: 'nobody' }, invalid('email must be an email address.')],
  ['create_contact', { email: 'a@example.com', tags: 'vip' }, invalid('tags must be a list.')],
  ['create_contact', { sendOptIn: true }, unknown('sendOptIn', 'create_contact', contactArguments)],
  ['create_contact', { marketingConsentAt: 'now' }, unknown('marketingConsentAt', 'create_contact', contactArguments)],
  ['update_contact_tags', { id: '{contact}' }, invalid('add or remove must hold at least one tag.')],
  ['update_contact_tags', { id: '{contact}', add: [] }, invalid('add must hold at least one tag.')],
  ['update_contact_tags', { id: '{contact}', remove: [] }, invalid('remove must hold at least one tag.')],
  ['update_contact_tags', { id: '{contact}', add: ['\u0000'] }, invalid(unstorableTag)],
  ['update_contact_tags', { id: '{contact}', tags: ['a'] }, unknown('tags', 'update_contact_tags', 'id, add, remove')],
]

test.each(refused)('%s with %j is a tool error that says what to do next', async (tool, given, text) => {
  const answer = await call(tool, given)
  expect(answer.status).toBe(200)
  expect(resultOf(answer)).toMatchObject({ content: [{ type: 'text', text }], isError: true })
})

test('a refused write did nothing', async () => {
  const { body } = await stack.get('/api/v1/contacts?email=a%40example.com', { key })
  expect(body).toMatchObject({ data: [] })
})
