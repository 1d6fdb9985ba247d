// The OpenAPI documents refuse the bodies that the product refuses, and allow those that it takes: each field of a whole body gets
// values of every kind in turn, and the verdict of the document is compared with that of the product. Where a rule needs the shop, the
// stored object or the clock, the document cannot say it: testing/schemas/whole-bodies.ts names such fields. docs/spec/reference.md#openapi-documents
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { openStack, type Stack } from '#testing/product/stack'
import { beyond, blank, instant, whole } from '#testing/schemas/whole-bodies'
import { backOfficeDocument } from '../services/admin-gateway/reference/document.ts'
import { publicDocument } from '../services/rest-gateway/reference/document.ts'

type Json = { [field: string]: unknown }
type Made = { data: { id: string } }
type Operation = { operationId: string; requestBody?: { content: Record<string, { schema: Json }> } }
type Call = { method: string; path: string; schema: Json }

/** The field that differs from the whole body, the body, and the value of the field; undefined where it is left out. */
type Case = [field: string, body: unknown, value?: unknown]

const AT_ONCE = 8
const token = 'an-operator-token-for-tests-only'
const values: unknown[] = [
  null,
  true,
  7,
  -1,
  1.5,
  2_000_000_000_000,
  'nonsense',
  'Ⅷ',
  '',
  ' ',
  'two\nlines',
  'x@',
  instant,
  randomUUID(),
  ...[65, 256, 2_049, 5_001, 65_537].map((length) => 'x'.repeat(length)),
  [],
  [7],
  [''],
  ['x'.repeat(65)],
  ['x'.repeat(256)],
  Array.from({ length: 251 }, (_, at) => `t${at}`),
  {},
  { nonsense: 1 },
]

// The exceptions that were met.
const used = new Set<string>()

/** Copies of the body in which one field is replaced or left out. */
function* variants(body: unknown, path = ''): Generator<Case> {
  if (typeof body !== 'object' || body === null) return
  for (const [field, inner] of Object.entries(body)) {
    const at = Array.isArray(body) ? `${path}[]` : path === '' ? field : `${path}.${field}`
    const put = (value: unknown) =>
      Array.isArray(body) ? body.with(Number(field), value) : { ...body, [field]: value }
    for (const value of values) yield [at, put(value), value]
    for (const [where, other, value] of variants(inner, at)) yield [where, put(other), value]
    if (!Array.isArray(body)) yield [at, Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))]
  }
}

let stack: Stack
let shop: string
let key: string
let signup: Json
/** Ids of objects, by the noun in a path. */
const made: Record<string, string> = {}
beforeAll(async () => {
  const env = { REQUESTS_PER_MINUTE: '1000000', AUTH_FAILURES_PER_MINUTE: '1000000', WEBHOOK_ALLOW_PRIVATE: 'true' }
  stack = await openStack({ form: 'one-process', env })
  shop = (await stack.makeShop()).handle
  const { id, secret } = await stack.makeKey(shop, 'write')
  key = secret
  made.keys = id
  const make = async (noun: string, body: Json | undefined) =>
    ((await stack.admin('POST', `/shops/${shop}/${noun}`, body)) as Made).data.id
  made.contacts = await make('contacts', whole.contactsSave)
  made.products = await make('products', { ...whole.productsCreate, slug: null })
  made.orders = await make('orders', whole.ordersPlace)
  made['webhook-endpoints'] = await make('webhook-endpoints', whole.endpointsCreate)
  const price = { cents: 900 }
  const productId = await make('products', {
    title: 'Club',
    kind: 'membership',
    price,
    membership: { interval: 'month' },
  })
  const clientId = await make('contacts', { email: 'member@example.com' }) // The other one is erased.
  signup = { ...whole.subscriptionsCreate, productId, clientId }
  made.operators = ((await stack.admin('POST', '/operators', whole.operatorsCreate)) as Made).data.id
  made.views = 'orders'
  made.subscriptions = await make('subscriptions', signup)
  made.restores = ((await stack.admin('POST', '/restores', { ...whole.restoresBegin, handle: 'held' })) as Made).data.id
  made.parts = 'forgotten-products'
})
afterAll(() => stack.stop())

const compiler = new Ajv2020({ strict: false })
addFormats.default(compiler)

function callsOf(document: object): Map<string, Call> {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> }
  const calls = new Map<string, Call>()
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(operations)) {
      const schema = requestBody?.content['application/json']?.schema
      // A deletion would take away what the other operations need.
      if (schema !== undefined && method !== 'delete')
        calls.set(operationId, { method: method.toUpperCase(), path, schema })
    }
  }
  return calls
}

const publicCalls = callsOf(publicDocument())
const officeCalls = callsOf(backOfficeDocument())
const all = new Map([...publicCalls, ...officeCalls])

/** Whether the product takes the body; that there is no such object is no refusal of the body. */
async function isTaken(id: string, { method, path }: Call, body: unknown): Promise<boolean> {
  const isPublic = publicCalls.has(id)
  const target = path
    .replace('{shop}', shop)
    .replaceAll(/([\w-]+)\/\{\w+\}/g, (_all, noun: string) => `${noun}/${made[noun] ?? randomUUID()}`)
  const base = isPublic
    ? `http://127.0.0.1:${stack.ports[0]}/api/v1`
    : `http://127.0.0.1:${stack.adminPorts[0]}/admin/v1`
  const response = await fetch(base + target, {
    method,
    headers: { authorization: `Bearer ${isPublic ? key : token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.status >= 500) throw new Error(`${id} ${JSON.stringify(body)}: ${text}`)
  return response.status !== 400
}

test('every operation with fields has a whole body here', () => {
  const withFields = [...all].filter(([, { schema }]) => Object.keys(schema.properties as object).length > 0)
  expect(Object.keys(whole).toSorted()).toEqual(withFields.map(([id]) => id).toSorted())
})

describe.each([...all])('%s', (id, call) => {
  test('is refused by the document where the product refuses it, and allowed where the product takes it', async () => {
    const allows: ValidateFunction = compiler.compile(call.schema)
    const body = id === 'subscriptionsCreate' ? signup : (whole[id] ?? {})
    expect([allows(body), await isTaken(id, call, body)]).toEqual([true, true])
    const cases = [...variants(body)]
    if (!publicCalls.has(id)) cases.push(['nonsense', { ...body, nonsense: 1 }])
    const found: string[] = []
    const compare = async ([field, sent, value]: Case) => {
      const [isAllowed, taken] = [allows(sent), await isTaken(id, call, sent)]
      if (isAllowed === taken) return
      const where = `${id} ${field}`
      if (isAllowed ? where in beyond : blank.includes(where) && String(value).trim() === '') used.add(where)
      else
        found.push(`${where}: the document ${isAllowed ? 'allows' : 'refuses'} ${JSON.stringify(value)?.slice(0, 40)}`)
    }
    for (let at = 0; at < cases.length; at += AT_ONCE) await Promise.all(cases.slice(at, at + AT_ONCE).map(compare))
    expect(found).toEqual([])
  }, 60_000)
})

test('every exception is needed', () => {
  expect([...used].toSorted()).toEqual([...Object.keys(beyond), ...blank].toSorted())
})
