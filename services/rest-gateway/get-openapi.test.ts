// GET /openapi.json: a complete document of the route table (docs/spec/rest-api.md#endpoints).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'
import { routes } from './routes.ts'

type Json = { [field: string]: unknown }
type Parameter = { name: string; in: string; required: boolean; description?: string; schema: Json }
type Operation = { operationId: string; summary: string; parameters: Parameter[]; requestBody?: Json; responses: Json }
type Document = Json & { paths: Record<string, { get?: Operation; post?: Operation }>; components: { schemas: Json } }

describe.each(forms)('GET /openapi.json, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let document: Document

  beforeAll(async () => {
    document = (await stack.get('/openapi.json')).body as Document
  })

  const operations = () => Object.values(document.paths).flatMap(({ get = [], post = [] }) => [get, post].flat())

  test('needs no key, carries the headers of every answer, and answers HEAD', async () => {
    const { status, headers } = await stack.get('/openapi.json')
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'service-version': '2026-08-12',
      'cache-control': 'no-store, private',
    })
    const head = await stack.ask('HEAD', '/openapi.json')
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': headers['content-length'] } })
    const posted = await stack.ask('POST', '/openapi.json')
    expect(posted).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })

  test('has every route once, below its base path', () => {
    expect(document).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/api/v1' }], security: [{ apiKey: [] }] })
    const listed = Object.entries(document.paths).flatMap(([path, at]) =>
      Object.keys(at).map((method) => [method, path]),
    )
    expect(listed.sort()).toEqual(routes.map(({ method, path }) => [method.toLowerCase(), path]).sort())
    const names = operations().map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(routes.length)
  })

  test('names the objects of the specification', () => {
    const names = ['Address', 'Contact', 'Failure', 'Money', 'Order', 'OrderLine', 'Product', 'Shop', 'Variant']
    const events = ['Event', 'OrderEvent', 'Subscription', 'SubscriptionEvent']
    expect(Object.keys(document.components.schemas).sort()).toEqual(
      [...names, ...events, 'SavedContact', 'Stamp'].sort(),
    )
  })

  test('every reference leads somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(references.length).toBeGreaterThan(0)
    for (const reference of new Set(references)) {
      const steps = reference.replace('#/', '').split('/')
      const found = steps.reduce<unknown>((at, step) => (at as Json | undefined)?.[step], document)
      expect({ reference, found: found !== undefined }).toEqual({ reference, found: true })
    }
  })

  test('every parameter is described, and nothing is required but what stands in the path', () => {
    for (const { operationId, parameters } of operations()) {
      for (const { name, in: place, required, description = '' } of parameters) {
        expect({ operationId, name, required }).toEqual({ operationId, name, required: place === 'path' })
        expect({ operationId, name, described: description.length > 10 }).toMatchObject({ described: true })
      }
    }
  })

  test('the parameters of GET /orders', () => {
    const { parameters } = document.paths['/orders']?.get ?? { parameters: [] }
    expect(
      parameters.map(({ name, schema }) => [name, schema['x-known-values'] ?? schema.format ?? schema.type]),
    ).toEqual([
      ['status', ['new', 'confirmed', 'shipped', 'completed', 'cancelled', 'refunded']],
      ['payment_status', ['unpaid', 'pending', 'paid', 'refunded', 'disputed']],
      ['email', 'email'],
      ['client_id', 'uuid'],
      ['created_after', 'date-time'],
      ['created_before', 'date-time'],
      ['updated_after', 'date-time'],
      ['updated_before', 'date-time'],
      ['limit', 'integer'],
      ['cursor', 'string'],
    ])
  })

  test('the body of POST /contacts', () => {
    const text = expect.objectContaining({ anyOf: [expect.objectContaining({ type: 'string' }), { type: 'null' }] })
    expect(document.paths['/contacts']?.post).toMatchObject({
      parameters: [{ name: 'Idempotency-Key', in: 'header', required: false }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { type: 'object', properties: { email: text, phone: text, name: text, tags: {}, sendOptIn: {} } },
          },
        },
      },
      responses: { 200: {}, 400: {}, 401: {}, 403: {}, 429: {}, 500: {} },
    })
    const [tags] = document.paths['/contacts/{id}/tags']?.post?.parameters ?? []
    expect(tags).toMatchObject({ name: 'id', in: 'path', required: true })
    expect(JSON.stringify(document.paths['/contacts/{id}/tags']?.post?.requestBody)).not.toContain('"id"')
  })

  test('published objects are open, so that an added field breaks no consumer', () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false')
  })
})
