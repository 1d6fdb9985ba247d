// Parked messages over HTTP: counted, listed, tried again, dropped (docs/spec/outboxes.md#parked-messages).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { type OutboxMessage, outboxMessage } from '#contracts/objects/outbox-message'
import type { EventBody } from '#contracts/objects/webhook-event'
import { duringTests } from '#testing/during-tests'
import { until } from '#testing/until'
import { adminRequest } from '#testing/admin-requests'
import { onServer } from '#testing/database'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'

const line = { title: 'Mug', kind: 'physical', unitPrice: { cents: 1_000 }, quantity: 1 }

describe.each(forms)('a message that its receiver refuses, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shop: string

  beforeAll(async () => {
    shop = (await stack.makeShop()).id
  })

  const sql = (text: string) => onServer(stack.databaseUrl, text)
  const send = (method: string, path: string) => adminRequest(stack, method, path)
  const parked = async () => (await stack.admin('GET', '/outbox/orders')).data as OutboxMessage[]
  const eventsOf = async (objectId: string) =>
    (await stack.admin('GET', `/shops/${shop}/events?object_id=${objectId}`)).data as EventBody[]
  const metric = async (name: string) => {
    const texts = await Promise.all(
      stack.running('orders').map(async ({ opsPort }) => (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text()),
    )
    return new RegExp(`^storefront_outbox_${name}\\{schema="orders",topic="events"\\} ([\\d.]+)$`, 'm').exec(
      texts.join('\n'),
    )?.[1]
  }

  /** Spoils the next event of a new order before the relay reads it, and waits until it is parked. */
  async function park(): Promise<string> {
    const { id } = await stack.makeOrder(shop, { paymentMethod: 'card', items: [line] })
    await until(async () => (await eventsOf(id)).length === 2)
    await sql(
      `insert into orders.events (id, shop_id, object_id, sequence, type, body, happened_at)
       values (gen_random_uuid(), '${shop}', '${id}', 3, 'order.updated', '', now())`,
    )
    const nearly = "update orders.outbox_failures set failures = 19 where object_id = '" // So that the test need not wait for 20 s.
    await until(async () => {
      await sql(`${nearly}${id}' and failures < 19`)
      return (await parked()).some(({ objectId }) => objectId === id)
    })
    return id
  }

  test('is never dropped where it is an entry of the audit', async () => {
    const id = randomUUID()
    await sql(
      `insert into orders.outbox_failures (message_id, topic, shop_id, object_id, failures, last_error, created_at, retry_at, parked_at)
       values ('${id}', 'audit.entry', '${shop}', '${id}', 20, 'server_error', now(), now(), now())`,
    )
    const { status, body } = await send('DELETE', `/outbox/orders/${id}`)
    expect([status, body]).toMatchObject([409, { error: { code: 'conflict' } }])
    await sql(`delete from orders.outbox_failures where message_id = '${id}'`)
  })

  test('is parked: counted, listed, tried again once it is repaired, before the later ones of its object', async () => {
    const id = await park()
    await until(async () => (await metric('parked')) === '1')
    const [message] = await parked()
    expect(outboxMessage.parse(message)).toMatchObject({
      ...{ schema: 'orders', topic: 'events', shopId: shop, objectId: id, failures: 20 },
      lastError: expect.stringMatching(/^invalid_request: events\[0\]\.body must not be empty/),
    })
    await sql(`update orders.orders set event_seq = 3 where id = '${id}'`)
    await stack.admin('POST', `/shops/${shop}/orders/${id}/ship`)
    const other = await stack.makeOrder(shop, { paymentMethod: 'card', items: [line] })
    await until(async () => (await eventsOf(other.id)).length === 2)
    await until(async () => (await metric('unsent')) === '2')
    expect(await eventsOf(id)).toHaveLength(2)
    await sql(`update orders.events set body = '{"type":"order.updated","sequence":3}' where body = ''`)
    const answer = await send('POST', `/outbox/orders/${message?.id}/retry`)
    expect([answer.status, answer.body]).toEqual([
      200,
      { data: { ...message, failures: 0, parkedAt: null, firstFailedAt: expect.any(String) } },
    ])
    await until(async () => (await eventsOf(id)).length === 4)
    expect((await eventsOf(id)).map(({ sequence }) => sequence)).toEqual([4, 3, 2, 1])
    expect(await parked()).toEqual([])
    await until(async () => (await metric('parked')) === '0' && (await metric('oldest_unsent_seconds')) === '0')
  })

  test('is dropped, and the later ones of its object go on', async () => {
    const id = await park()
    const [message] = await parked()
    const dropped = { id: message?.id, object: 'outbox_message', deleted: true }
    expect((await send('DELETE', `/outbox/orders/${message?.id}`)).body).toEqual({ data: dropped })
    await sql(`update orders.orders set event_seq = 3 where id = '${id}'`)
    await stack.admin('POST', `/shops/${shop}/orders/${id}/ship`)
    await until(async () => (await eventsOf(id)).length === 3)
    expect((await eventsOf(id)).map(({ sequence }) => sequence)).toEqual([4, 2, 1])
    for (const method of ['DELETE', 'POST']) {
      const path = `/outbox/orders/${message?.id}${method === 'POST' ? '/retry' : ''}`
      expect((await send(method, path)).status).toBe(404)
    }
    expect((await send('POST', `/outbox/catalog/${randomUUID()}/retry`)).status).toBe(404)
    expect(stack.logged()).toContain('a parked message was dropped by an operator')
  })
})
