// The list of tools as a model sees it: names, arguments, schemas, hints, size (docs/spec/mcp.md#input-schemas,
// docs/spec/mcp.md#output-schemas, docs/spec/mcp.md#annotations, docs/spec/mcp.md#descriptions).
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from '@jest/globals'
import { toolsFor } from './list.ts'

type Json = { [field: string]: unknown }
type Shown = {
  name: string
  title: string
  description: string
  inputSchema: Json & { properties?: Record<string, Json>; required?: string[] }
  outputSchema: Json & { properties: Record<string, Json> }
  annotations: Json
}

const listed = JSON.parse(toolsFor(true).toString()) as Shown[]
const forReading = JSON.parse(toolsFor(false).toString()) as Shown[]
const reads = ['get_contact', 'get_order', 'get_product', 'get_shop', 'list_contacts', 'list_orders', 'list_products']
const times = ['created_after', 'created_before', 'updated_after', 'updated_before']
const ofLists = [...times, 'fields', 'limit', 'cursor']
const takes: Record<string, string[]> = {
  create_contact: ['email', 'phone', 'name', 'tags', 'send_opt_in'],
  get_contact: ['id', 'fields'],
  get_order: ['id', 'fields'],
  get_product: ['id', 'fields'],
  get_shop: [],
  list_contacts: ['tag', 'email', 'consented', ...ofLists],
  list_orders: ['status', 'payment_status', 'email', 'client_id', ...ofLists],
  list_products: ['kind', 'published', ...ofLists],
  update_contact_tags: ['id', 'add', 'remove'],
}

function everySchema(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(everySchema)
  if (typeof value !== 'object' || value === null) return []
  return [value as Json, ...Object.values(value).flatMap(everySchema)]
}

describe('the list of tools', () => {
  test('has nine for a key with write access and seven for one without, sorted by name', () => {
    expect(listed.map(({ name }) => name)).toEqual(Object.keys(takes))
    expect(forReading.map(({ name }) => name)).toEqual(reads)
    expect(forReading).toEqual(listed.filter(({ name }) => reads.includes(name)))
  })

  test('what a model reads of it takes at most 1,500 tokens', () => {
    const read = listed.map(({ name, title, description, inputSchema }) => ({ name, title, description, inputSchema }))
    expect(countTokens(JSON.stringify(read))).toBeLessThanOrEqual(1_500)
  })

  test.each(listed)('$name has the arguments of the contract, closed and described', ({ name, inputSchema }) => {
    expect(Object.keys(inputSchema.properties ?? {})).toEqual(takes[name])
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(inputSchema.required ?? []).toEqual(takes[name]?.filter((argument) => argument === 'id'))
    for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
      expect({ argument, type: typeof schema.type }).toEqual({ argument, type: 'string' })
      expect({ argument, about: schema.description }).toEqual({ argument, about: expect.stringMatching(/\w/) })
      if (times.includes(argument)) expect(schema).toMatchObject({ type: 'string', format: 'date-time' })
      if (argument === 'client_id') expect(schema).toMatchObject({ type: 'string', format: 'uuid' })
      if (argument === 'id') expect(schema).toMatchObject({ type: 'string', format: 'uuid' })
      if (argument === 'email') expect(schema).toMatchObject({ type: 'string', format: 'email' })
      if (argument === 'limit') expect(schema).toMatchObject({ type: 'integer', minimum: 1, default: 25 })
    }
  })

  test('shows tools without arguments in the form of the protocol', () => {
    const shop = listed.find(({ name }) => name === 'get_shop')
    expect(shop?.inputSchema).toEqual({ type: 'object', additionalProperties: false })
  })

  test('names the values of each filter', () => {
    const values = (tool: string, argument: string) =>
      listed.find(({ name }) => name === tool)?.inputSchema.properties?.[argument]?.enum
    const statuses = 'new, confirmed, shipped, completed, cancelled, refunded'
    expect(values('list_orders', 'status')).toEqual(statuses.split(', '))
    expect(values('list_orders', 'payment_status')).toEqual(['unpaid', 'pending', 'paid', 'refunded', 'disputed'])
    expect(values('list_products', 'kind')).toEqual(['physical', 'digital', 'service', 'event', 'membership'])
  })

  test.each(listed)(
    '$name has an outputSchema with an object at its root, open in every part',
    ({ name, outputSchema }) => {
      const isList = name.startsWith('list_')
      expect(outputSchema.type).toBe('object')
      expect(outputSchema.required).toEqual(isList ? ['data', 'has_more', 'next_cursor'] : ['data'])
      if (isList) expect(outputSchema.properties.next_cursor).toEqual({ type: ['string', 'null'] })
      for (const schema of everySchema(outputSchema)) {
        expect(schema.additionalProperties).not.toBe(false)
        expect(schema).not.toHaveProperty('enum')
        if (schema.const !== undefined) expect(schema).toEqual({ type: 'string', const: expect.any(String) })
      }
    },
  )

  test('tells the known values of open enumerations, and which fields may be null', () => {
    const [schema = {}] = listed.filter(({ name }) => name === 'get_order').map((tool): Json => tool.outputSchema)
    expect((schema.$defs as Record<string, Json>).Order?.properties).toMatchObject({
      status: { type: 'string', description: 'new, confirmed, shipped, completed, cancelled, refunded' },
      paymentStatus: { type: 'string', description: 'unpaid, pending, paid, refunded, disputed' },
      customer: { properties: { clientId: { type: ['string', 'null'] }, name: { type: ['string', 'null'] } } },
      booking: { type: ['object', 'null'], properties: { scheduledFor: { type: ['string', 'null'] } } },
      note: { type: ['string', 'null'] },
    })
  })

  test.each(listed)('$name requires what is always there: where `fields` may drop the rest, id and object', (tool) => {
    const { required, ...inside } = tool.outputSchema
    expect(required).toContain('data')
    const lists = everySchema(inside).flatMap((schema) => (schema.required === undefined ? [] : [schema.required]))
    const objects = everySchema(inside).flatMap(({ properties }) => (properties === undefined ? [] : [properties]))
    const whole = objects.slice(1).map((properties) => Object.keys(properties as Json)) // The first is the envelope.
    expect(lists).toEqual(tool.inputSchema.properties?.fields === undefined ? whole : [['id', 'object']])
  })

  test.each(listed)('$name has schemas that a validator accepts', ({ inputSchema, outputSchema }) => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true })
    addFormats.default(ajv)
    expect(() => ajv.compile(inputSchema)).not.toThrow()
    expect(() => ajv.compile(outputSchema)).not.toThrow()
  })

  test.each(listed)(
    '$name has a title, a description and all four hints',
    ({ name, title, description, annotations }) => {
      expect(title).toMatch(/^[A-Z][a-z ]{5,30}$/)
      expect(description).toMatch(/\.$/)
      expect(annotations).toEqual({
        readOnlyHint: reads.includes(name),
        destructiveHint: name === 'update_contact_tags',
        idempotentHint: true,
        openWorldHint: name === 'create_contact',
      })
    },
  )

  test.each([
    ['list_orders', /status is fulfilment, paymentStatus is money/],
    ['list_orders', /total does not subtract refunded/],
    ['list_orders', /About 500 tokens an order with three lines: name fields, set limit/],
    ['list_orders', /Buyers type customer, address, note: data/],
    ['list_orders', /Add cents, show amount/],
    ['list_products', /stock null: not counted, not zero/],
    ['list_contacts', /no consent/],
    ...['list_orders', 'list_products', 'list_contacts'].flatMap((name): [string, RegExp][] => [
      [name, /newest first, times in UTC\. While has_more, call again with next_cursor\./],
      [name, /About \d+ tokens/],
    ]),
    ['create_contact', /Consent can never be set/],
    ['create_contact', /safe to repeat/],
    ['update_contact_tags', /Safe to repeat/],
  ])('%s teaches %s', (name, words) => {
    expect(listed.find((tool) => tool.name === name)?.description).toMatch(words)
  })
})
