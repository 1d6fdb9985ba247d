// Tests that ids are unique within a shop only: a copy of a shop under another shop's id has the same endpoints, events and
// deliveries, and neither gets what belongs to the other. docs/spec/data-model.md#schema-webhooks
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { until } from '#testing/until'
import { isSigned, sequencesOf } from '#testing/servers/receiver'
import { webhooksPerTest } from '#testing/product/webhooks-service'

const { open, receive } = webhooksPerTest()

test('two shops with the same ids each get their own events in order, at their own endpoint', async () => {
  const webhooks = await open()
  const [receiver, copyReceiver] = [await receive(), await receive()]
  const copy = { ...webhooks.shop, shopId: randomUUID() }
  const { id, secret } = await webhooks.createEndpoint({ url: receiver.url, enabled: false })
  const events = await webhooks.emit(3)
  await copyShop(copy.shopId, copyReceiver.url)

  // Both become due at one moment, so that one claim takes deliveries of both.
  await webhooks.db.transaction(async (tx) => {
    await tx.rows('update endpoints set disabled_at = null, disabled_reason = null')
    await tx.rows('update schedules set due_at = statement_timestamp()')
  })
  await webhooks.untilDrained()

  const bodies = events.map(({ body }) => body)
  expect(receiver.received.map(({ body }) => body)).toEqual(bodies)
  expect(copyReceiver.received.map(({ body }) => body)).toEqual(bodies.map((body) => ofCopy(body)))
  for (const { received } of [receiver, copyReceiver]) {
    expect(sequencesOf(received)).toEqual([1, 2, 3])
    expect(received.every((request) => isSigned(request, secret))).toBe(true)
  }
  const counted = await webhooks.db.rows(
    'select shop_id, state, count(*)::integer as count, sum(attempts)::integer as attempts from deliveries group by 1, 2',
  )
  const done = { state: 'delivered', count: 3, attempts: 3 }
  expect(counted).toHaveLength(2)
  expect(counted).toEqual(
    expect.arrayContaining([copy, webhooks.shop].map(({ shopId }) => ({ shop_id: shopId, ...done }))),
  )

  await webhooks.call('endpoints.delete', { id }, copy)
  expect(await webhooks.getEndpoint(id)).toMatchObject({ id, url: receiver.url })

  function ofCopy(body: string): string {
    return body.replace(webhooks.shop.shopId, copy.shopId)
  }

  async function copyShop(shopId: string, url: string): Promise<void> {
    const changes = JSON.stringify({ shop_id: shopId })
    for (const table of ['schedules', 'endpoints', 'events', 'deliveries', 'queue']) {
      await webhooks.db.rows(
        `insert into ${table} select (jsonb_populate_record(source, $2::jsonb)).* from ${table} source where shop_id = $1`,
        [webhooks.shop.shopId, changes],
      )
    }
    await webhooks.db.rows('update endpoints set url = $2 where shop_id = $1', [shopId, url])
    await webhooks.db.rows('update events set body = replace(body, $2, $1::text) where shop_id = $1::uuid', [
      shopId,
      webhooks.shop.shopId,
    ])
  }
})

test('an event that one shop has stored, or has erased, is new to another', async () => {
  const webhooks = await open()
  const receiver = await receive()
  const other = { ...webhooks.shop, shopId: randomUUID() }
  await webhooks.createEndpoint({ url: receiver.url }, other)
  const [stored, erased] = await webhooks.emitObjects(2)
  const { id = '', happened_at = '' } = erased ?? {}
  await webhooks.service.call('webhooks.forget', {
    id: randomUUID(),
    kind: 'events.forgotten',
    shop_id: webhooks.shop.shopId,
    body: { events: [{ id, happened_at }] },
  })
  const sameIds = [stored, erased].flatMap((event) => (event === undefined ? [] : [event]))
  const both = [...sameIds, ...sameIds.map((event) => ({ ...event, shop_id: other.shopId }))]
  await webhooks.service.call('webhooks.ingest', { events: both })
  await until(() => receiver.received.length === 2)
  const rows = 'select shop_id = $1 as is_first, count(*)::integer as count from events group by 1 order by 1'
  expect(await webhooks.db.rows(rows, [webhooks.shop.shopId])).toEqual([
    { is_first: false, count: 2 },
    { is_first: true, count: 1 },
  ])
})
