// Tenants: every id of one shop, requested for another shop, is an unknown id. The test reads the table of routes, so that a new
// route is covered at once (docs/spec/security.md#tenants).
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { routes } from '#contracts/back-office/routes'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { forms } from '#testing/product/deployment-forms'
import { adminRequest, importFile } from '#testing/admin-requests'
import { makeAgent } from '#testing/product/agents'
import { withoutRequestId } from '#testing/product/http'
import { openReceiver } from '#testing/servers/receiver'
import { openStack } from '#testing/product/stack'

type Json = { [field: string]: unknown }
const dataOf = <Data>(answer: Json) => answer.data as Data

// Required fields of bodies.
const needs: Record<string, Json> = { 'resolve-dispute': { outcome: 'won' }, replay: { from: '2026-08-12T09:30:00Z' } }

describe.each(forms)('the ids of another shop, %s', (form) => {
  const stack = duringTests(() => openStack({ form, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } }))
  const receiver = duringTests(() => openReceiver())
  const database = duringTests(() => openClient(stack.databaseUrl))
  let own: string
  let other: string
  /** An object of each kind of the one shop, by the noun of its path. */
  let ids: Record<string, string>
  let replay: string

  const file = 'Email,First Name,Total Orders\na@b.example,Ada,1\n'

  beforeAll(async () => {
    own = (await stack.makeShop()).handle
    other = (await stack.makeShop()).handle
    const endpoint = dataOf<{ id: string }>(
      await stack.admin('POST', `/shops/${own}/webhook-endpoints`, { url: receiver.url }),
    )
    const product = await stack.makeProduct(own, {
      title: 'Club',
      kind: 'membership',
      price: { cents: 900 },
      membership: { interval: 'month', trialDays: 14 },
    })
    const contact = await stack.makeContact(own, { email: 'ada@example.com' })
    const membership = { productId: product.id, clientId: contact.id, billingMode: 'processor' }
    const subscription = dataOf<{ id: string }>(await stack.admin('POST', `/shops/${own}/subscriptions`, membership))
    const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }
    const order = await stack.makeOrder(own, { paymentMethod: 'card', items: [line] })
    await until(() => receiver.received.length >= 3)
    const deliveries = `/shops/${own}/webhook-endpoints/${endpoint.id}/deliveries`
    await until(async () => dataOf<Json[]>(await stack.admin('GET', `${deliveries}?status=delivered`)).length === 3)
    const [delivery] = dataOf<{ id: string; eventId: string }[]>(await stack.admin('GET', deliveries))
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const made = await stack.admin('POST', `/shops/${own}/webhook-endpoints/${endpoint.id}/replay`, { from })
    replay = dataOf<{ id: string }>(made).id
    await until(async () => {
      const { status } = dataOf<Json>(
        await stack.admin('GET', `/shops/${own}/webhook-endpoints/${endpoint.id}/replays/${replay}`),
      )
      const { waiting } = dataOf<Json>(await stack.admin('GET', `/shops/${own}/webhook-endpoints/${endpoint.id}`))
      return status === 'completed' && waiting === 0 && receiver.received.length === 6
    })
    ids = {
      keys: (await stack.makeKey(own)).id,
      agents: await makeAgent(stack, own),
      products: product.id,
      contacts: contact.id,
      orders: order.id,
      subscriptions: subscription.id,
      'webhook-endpoints': endpoint.id,
      deliveries: delivery?.id ?? '',
      events: delivery?.eventId ?? '',
      imports: (await importFile(stack, own, file, '?format=shopify-customers')).id,
    }
    await until(areAllSent)
  })

  /** Whether every message has arrived: the audit of a shop grows until then. */
  async function areAllSent(): Promise<boolean> {
    const unsent = ['catalog', 'contacts', 'orders', 'subscriptions', 'webhooks'].map(
      (schema) => `select from ${schema}.outbox where sent_at is null`,
    )
    return (await database.query(unsent.join(' union all '))).rowCount === 0
  }

  const send = (method: string, path: string, body: Json | null) =>
    adminRequest(stack, method, path, body === null ? {} : { body })

  const named = routes.filter(({ path }) => path.includes('{shop}') && path.includes('{id}'))
  const nounOf = (path: string) => path.split('/')[3] ?? ''
  const inShop = (path: string, shop: string, id: string, run: string) =>
    path.replace('{shop}', shop).replace('{id}', id).replace('{replay}', run)
  const everything = async () => {
    const seen: Record<string, string> = {}
    for (const { method, path } of routes) {
      // Who took the data of a person is noted in the audit, so that reading it here would change what is compared.
      if (method !== 'GET' || !path.includes('{shop}') || path.endsWith('/data')) continue
      seen[path] = (await send('GET', inShop(path, own, ids[nounOf(path)] ?? '', replay), null)).text
    }
    return seen
  }

  test('answer as if they were not there, on every route, and nothing of that shop changes', async () => {
    const before = await everything()
    const received = receiver.received.length
    for (const { method, path, body } of named) {
      const id = ids[nounOf(path)] ?? ''
      expect({ path, id }).toEqual({ path, id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
      const content = body === null ? null : (needs[path.split('/').at(-1) ?? ''] ?? {})
      const foreign = await send(method, inShop(path, other, id, replay), content)
      const missing = await send(method, inShop(path, other, randomUUID(), randomUUID()), content)
      expect({ method, path, status: foreign.status }).toEqual({ method, path, status: 404 })
      expect(withoutRequestId(foreign.text)).toBe(withoutRequestId(missing.text))
      expect(Object.keys(foreign.headers).sort()).toEqual(Object.keys(missing.headers).sort())
    }
    expect(await everything()).toEqual(before)
    expect(receiver.received).toHaveLength(received)
  })

  test('are no ids in a body either: product, variant, contact', async () => {
    const line = (productId: unknown) => ({ paymentMethod: 'card', items: [{ productId, quantity: 1 }] })
    const member = (productId: unknown, clientId: unknown) => ({ productId, clientId, billingMode: 'processor' })
    const ownProduct = await stack.makeProduct(other, {
      title: 'Club',
      kind: 'membership',
      price: { cents: 900 },
      membership: { interval: 'month', trialDays: null },
    })
    const ownContact = await stack.makeContact(other, { email: 'ada@example.com' })
    const pairs: [string, (id: unknown) => Json, string | undefined][] = [
      ['orders', line, ids.products],
      ['subscriptions', (id) => member(id, ownContact.id), ids.products],
      ['subscriptions', (id) => member(ownProduct.id, id), ids.contacts],
    ]
    for (const [noun, bodyOf, id] of pairs) {
      const foreign = await send('POST', `/shops/${other}/${noun}`, bodyOf(id))
      const missing = await send('POST', `/shops/${other}/${noun}`, bodyOf(randomUUID()))
      expect({ noun, status: foreign.status }).toEqual({ noun, status: 400 })
      const [own, none] = [withoutRequestId(foreign.text), withoutRequestId(missing.text)]
      expect(own.replaceAll(String(id), 'ID')).toBe(none.replaceAll(/[0-9a-f-]{36}/g, 'ID'))
    }
    // One person, two shops: a contact is found by its email in its own shop only.
    const order = await stack.makeOrder(other, {
      paymentMethod: 'card',
      customer: { email: 'ada@example.com' },
      items: [{ title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }],
    })
    expect(order).toMatchObject({ customer: { clientId: ownContact.id } })
  })

  test('stay out of the lists and the log of events of the other shop', async () => {
    const mine = [...Object.values(ids), replay]
    for (const { method, path } of routes.filter(
      (route) => !route.path.includes('{id}') && route.path.includes('{shop}'),
    )) {
      // The audit says which ids were tried.
      if (method !== 'GET' || path.endsWith('/audit')) continue
      const { status, text } = await send('GET', inShop(path, other, '', ''), null)
      expect({ path, status }).toEqual({ path, status: 200 })
      for (const id of mine) expect(text).not.toContain(id)
    }
  })
})
