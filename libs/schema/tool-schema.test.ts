// Output schemas of tools: the types are those of OpenAPI, and a body that is not of them fails. docs/spec/mcp.md#output-schemas
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type JSONSchema, compile } from 'json-schema-to-typescript'
import { z } from 'zod'
import { contact, savedContact } from '#contracts/objects/contact'
import { order } from '#contracts/objects/order'
import { product } from '#contracts/objects/product'
import { page, single } from '#contracts/objects/scalar'
import { shop } from '#contracts/objects/shop'
import { openApiDocument } from './openapi.ts'
import { outputSchema } from './tool-schema.ts'

type Json = { [field: string]: unknown }
const bodies = [
  ...[order, product, contact].flatMap((row) => [single(row), page(row)]),
  ...[single(savedContact), single(shop)],
].map((body) => ({ body, name: nameOf(body) }))

function nameOf(body: z.ZodType): string {
  return /defs\/(\w+)/.exec(JSON.stringify(outputSchema(body, { isReducible: true })))?.[1] ?? ''
}

/** The response of an endpoint that gives `body`, with the components that it refers to. */
function inOpenApi(body: z.ZodType): Json {
  const api = { title: '', description: '', basePath: '', tags: {}, securitySchemes: {}, headers: [], failures: {} }
  const operation = {
    method: 'GET',
    path: '/x',
    id: 'x',
    about: '',
    tag: '',
    params: z.object({}),
    body: null,
  } as const
  const document = openApiDocument(api, [{ ...operation, gives: body, statuses: [200], failures: [] }]) as unknown as {
    paths: { '/x': { get: { responses: { 200: { content: { 'application/json': { schema: Json } } } } } } }
    components: Json
  }
  const { schema } = document.paths['/x'].get.responses[200].content['application/json']
  return { ...schema, components: document.components }
}

/** The interfaces by name. What is optional is left out: a row may come with some of its fields. */
async function typesOf(schema: Json): Promise<Record<string, string>> {
  const options = { bannerComment: '', additionalProperties: false, format: false, ignoreMinAndMaxItems: true }
  // A description beside a reference would make a type of its own.
  const undescribed = JSON.stringify(schema, (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )
  const text = await compile(JSON.parse(undescribed) as JSONSchema, 'Body', options)
  const lines = text.replaceAll('?:', ':').split('export interface ').slice(1)
  return Object.fromEntries(lines.map((one) => [one.slice(0, one.indexOf(' ')), one.replaceAll(/\s+/g, ' ').trim()]))
}

test.each(bodies)('the types of $name are those of OpenAPI', async ({ body }) => {
  const types = await typesOf(outputSchema(body, { isReducible: true }))
  expect(types.Body).toMatch(/data: /)
  expect(types).toEqual(await typesOf(inOpenApi(body)))
})

describe('a body is refused', () => {
  const ajv = new Ajv2020({ allowUnionTypes: true })
  addFormats.default(ajv)
  const accepts = ajv.compile(outputSchema(page(order), { isReducible: true }))
  const row = { id: '3f1c9b52-6f0e-4a41-9d3c-0a4c8a3f7c11', object: 'order' }
  const of = (over: Json, envelope: Json = {}) => ({
    data: [{ ...row, ...over }],
    has_more: false,
    next_cursor: null,
    ...envelope,
  })

  test('unless it is one: whole rows, some fields, fields that are new', () => {
    const bodies = [
      of({}),
      of({ total: { cents: 1 }, note: null }),
      of({ new: 1 }, { new: 1 }),
      { ...of({}), data: [] },
    ]
    expect(bodies.map((body) => accepts(body))).toEqual([true, true, true, true])
  })

  test.each<[string, Json]>([
    ['without data', { data: undefined }],
    ['with data that is no list', { data: {} }],
    ['without has_more', { has_more: undefined }],
    ['with a number as cursor', { next_cursor: 7 }],
    ['with a row without id', { data: [{ object: 'order' }] }],
    ['with a row without object', { data: [{ id: row.id }] }],
    ['with another object', { data: [{ ...row, object: 'contact' }] }],
  ])('%s', (_what, envelope) => {
    expect(accepts(JSON.parse(JSON.stringify(of({}, envelope))))).toBe(false)
  })

  test.each<[string, unknown]>([
    ['status', null],
    ['total', '12.50'],
    ['total', { cents: '1250' }],
    ['customer', { email: 5 }],
    ['customer', null],
    ['booking', []],
    ['booking', { scheduledFor: 'tomorrow' }],
    ['items', [{ quantity: '2' }]],
    ['items', [{ unitPrice: { amount: 12.5 } }]],
    ['createdAt', 1_700_000_000],
  ])('with %s %j', (field, value) => {
    expect(accepts(of({ [field]: value }))).toBe(false)
  })
})
