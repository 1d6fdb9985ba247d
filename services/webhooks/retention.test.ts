// What webhooks deletes when it is old enough, besides whole days. docs/spec/data-model.md#retention
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { duringTests } from '#testing/during-tests'
import { openWebhooks } from '#testing/product/webhooks-service'
import { deleteExpiredErasures } from './events/queries.ts'
import { applyRetention } from './events/store.ts'

const webhooks = duringTests(() => openWebhooks())
const now = new Date()
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
const makeEndpoint = async () => (await webhooks.createEndpoint({ url: 'http://127.0.0.1:9/hook' })).id

test('replays go 90 days after their end; younger ones and one that runs stay', async () => {
  const endpointId = await makeEndpoint()
  const replay = (which: string, status: string, finishedAt: Date | null) =>
    webhooks.db.rows(
      `insert into replays (id, shop_id, endpoint_id, status, from_at, to_at, events, which, count, created_at, finished_at, next_at)
       values ($1, $2, $3, $4, $5, $5, '{}', $6, 1, $5, $7, $8)`,
      [randomUUID(), webhooks.shop.shopId, endpointId, status, ago(100), which, finishedAt, ago(-1)],
    )
  await replay('old', 'completed', ago(91))
  await replay('young', 'cancelled', ago(89))
  await replay('running', 'running', null)
  await applyRetention(webhooks.db, now)
  const rows = await webhooks.db.rows<{ which: string }>(
    'select which from replays where endpoint_id = $1 order by which',
    [endpointId],
  )
  expect(rows.map(({ which }) => which)).toEqual(['running', 'young'])
})

test('notices go 90 days after they were sent, except those about a failure that goes on, which would be sent again', async () => {
  const endpointId = await makeEndpoint()
  const failingSince = ago(120)
  await webhooks.db.rows('update endpoints set failing_since = $2, failures = 3 where id = $1', [
    endpointId,
    failingSince,
  ])
  const names = new Map<string, string>()
  const notice = (name: string, stage: string, since: Date, sentAt: Date | null) => {
    const id = randomUUID()
    names.set(id, name)
    return webhooks.db.rows(
      'insert into notices (id, shop_id, endpoint_id, stage, since, due_at, sent_at) values ($1, $2, $3, $4, $5, $6, $7)',
      [id, webhooks.shop.shopId, endpointId, stage, since, ago(-1), sentAt],
    )
  }
  await notice('of the failure that goes on', 'given_up', failingSince, ago(119))
  await notice('of an older failure', 'failing_first', ago(200), ago(199))
  await notice('old', 'disabled', ago(91), ago(91))
  await notice('young', 'given_up', ago(89), ago(89))
  await notice('not sent', 'given_up', ago(100), null)
  await applyRetention(webhooks.db, now)
  const rows = await webhooks.db.rows<{ id: string }>('select id from notices where id = any($1)', [[...names.keys()]])
  expect(rows.map(({ id }) => names.get(id)).toSorted()).toEqual(['not sent', 'of the failure that goes on', 'young'])
})

test('ids of erased events go after a day', async () => {
  const { shopId } = webhooks.shop
  const [old, young] = [randomUUID(), randomUUID()]
  const forget = (id: string, days: number) =>
    webhooks.db.rows('insert into forgotten_events (id, shop_id, forgotten_at) values ($1, $2, $3)', [
      ...[id, shopId, ago(days)],
    ])
  await forget(old, 1.1)
  await forget(young, 0.9)
  await deleteExpiredErasures(webhooks.db, ago(1))
  expect(await webhooks.db.rows('select id from forgotten_events where shop_id = $1', [shopId])).toEqual([
    { id: young },
  ])
})
