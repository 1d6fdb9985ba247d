// The audit over all routes of the back office, by their table (docs/spec/audit.md).
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Route } from '#contracts/back-office/route'
import { routes } from '#contracts/back-office/routes'
import { type AuditEntry, auditEntry } from '#contracts/objects/audit-entry'
import { duringTests } from '#testing/during-tests'
import { adminRequest, wholePath } from '#testing/admin-requests'
import { changingCalls } from '#testing/product/changing-calls'
import type { Answer } from '#testing/product/http'
import { openStack } from '#testing/product/stack'
import { openReceiver } from '#testing/servers/receiver'
import { until } from '#testing/until'

const changing = routes.filter(({ kind }) => kind !== 'read')
const table = changing.map((route): [string, Route] => [`${route.method} ${route.path}`, route])
const root = { id: '00000000-0000-0000-0000-000000000000', name: 'admin token', via: 'admin_token' }

// What is made below another object is not named in the path.
const namesObject = ({ path, kind }: Route) =>
  /\{(id|replay|token)\}/.test(path) && kind !== 'create' && kind !== 'queue'

// A request of an agent is no object: its approval makes a grant, and its refusal nothing.
const withoutObject = ['subscriptions.change_settings', 'agent.refuse']

const stack = duringTests(() => openStack({ form: 'distributed', env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }))
const receiver = duringTests(() => openReceiver())

const listed = async (query = '') => (await stack.admin('GET', `/audit?limit=100${query}`)).data as AuditEntry[]
/** The entry of a request, once it has arrived. */
const entryOf = ({ headers }: Answer) =>
  until(async () => (await listed()).find(({ requestId }) => requestId === headers['x-request-id']))

describe('what was done is one entry', () => {
  const answers: Answer[] = []

  test.each(table)('%s', async (_name, route) => {
    const prepare = changingCalls(stack, receiver.url)[route.action]
    if (prepare === undefined)
      throw new Error(`Describe a call of ${route.action} in testing/product/changing-calls.ts.`)
    const [path, body] = await prepare()
    const headers = typeof body === 'string' ? { headers: { 'content-type': 'text/csv' } } : {}
    const answer = await adminRequest(stack, route.method, path, {
      ...(body === undefined ? {} : { body }),
      ...headers,
    })
    expect([200, 201, 202, 204]).toContain(answer.status)
    answers.push(answer)
    const entry = await entryOf(answer)
    expect(auditEntry.strict().parse(entry)).toEqual(entry)
    const [, , ofPath = null] = path.startsWith('/shops/') ? path.split('/') : []
    const shopId = typeof body === 'object' && 'shop' in body ? body.shop : ofPath
    const { action, method, path: pattern } = route
    expect(entry).toMatchObject({
      action,
      method,
      route: pattern,
      outcome: 'done',
      operator: root,
      source: '127.0.0.1',
      shopId: action === 'shops.create' ? entry.objectId : shopId,
      objectId: withoutObject.includes(action) ? null : expect.any(String),
    })
    if (namesObject(route) && !path.startsWith('/authorizations/')) expect(path.split('/')).toContain(entry.objectId)
  })

  test('and no second one comes', async () => {
    const found = await wholePath<AuditEntry>(stack, '/audit', 100)
    const byRequest = Map.groupBy(found, ({ requestId }) => requestId)
    expect(answers.map(({ headers }) => byRequest.get(headers['x-request-id'] ?? '')?.length)).toEqual(
      answers.map(() => 1),
    )
    expect(found.filter(({ outcome }) => outcome !== 'done')).toEqual([])
  })
})

describe('what was refused is one entry with its code', () => {
  test.each(table)('%s', async (_name, route) => {
    const { id: shop } = await stack.makeShop()
    const path = route.path.replace('{shop}', shop).replaceAll(/\{(id|replay|token)\}/g, randomUUID())
    const target = route.body === 'file' ? `${path}?format=nonsense` : path
    const content = route.body === null || route.body === 'file' ? {} : { body: { nonsense: 1 } }
    const answer = await adminRequest(stack, route.method, target, content)
    const { code } = (answer.body as { error: { code: string } }).error
    const entry = await entryOf(answer)
    expect(entry).toMatchObject({
      action: route.action,
      outcome: 'refused',
      code,
      operator: root,
      changes: {},
      shopId: route.path.includes('{shop}') ? shop : null,
    })
    if (namesObject(route)) expect(path.split('/')).toContain(entry.objectId)
    else expect(entry.objectId).toBe(route.path === '/shops/{shop}' ? shop : null)
    expect((await listed()).filter(({ requestId }) => requestId === entry.requestId)).toHaveLength(1)
  })
})
