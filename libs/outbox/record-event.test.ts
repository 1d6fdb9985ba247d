// An event exists if and only if its change is committed; its body, byte by byte.
// docs/spec/outboxes.md#writing docs/spec/events.md#body
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { eventFamilies, eventKinds } from '#contracts/objects/webhook-event'
import { databaseDuringTests } from '#testing/during-tests'
import { eventStorage, makeHappened } from '#testing/event-schema'
import { beginEpoch, findEpoch } from './epochs.ts'
import { eventBody, eventId, recordEvent } from './record-event.ts'

const db = databaseDuringTests(eventStorage)

describe('the event kinds', () => {
  test('are the twenty of the contract, each of a family', () => {
    expect(eventKinds).toHaveLength(20)
    expect(new Set(eventKinds).size).toBe(20)
    expect([...new Set(eventKinds.map((kind) => kind.split('.')[0]))]).toEqual([...eventFamilies])
  })
})

describe('the body of an event', () => {
  test('is compact JSON in the order of the contract, with the document unchanged', () => {
    const happened = makeHappened({
      shopId: '11111111-1111-4111-8111-111111111111',
      sequence: 3,
      type: 'order.shipped',
      document: '{"note":"\u2028 é \\u0007 日本 🎉", "spaced":1}',
      now: new Date('2026-08-12T09:30:00.120Z'),
    })
    expect(eventBody('0198a000-0000-7003-8000-000000000000', happened)).toBe(
      '{"id":"0198a000-0000-7003-8000-000000000000","object":"event","type":"order.shipped","version":1,' +
        '"apiVersion":"2026-08-12","timestamp":"2026-08-12T09:30:00.120Z",' +
        '"shopId":"11111111-1111-4111-8111-111111111111","sequence":3,"epoch":0,"test":false,' +
        '"data":{"note":"\u2028 é \\u0007 日本 🎉", "spaced":1}}',
    )
  })

  test('has an id of version 7 that holds the instant, and sorts by sequence within it', () => {
    const now = new Date('2026-08-12T09:30:00.120Z')
    const ids = [1, 2, 255, 256, 4_095].map((sequence) => eventId(now, sequence))
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    )
    expect(ids.map((id) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))).toEqual(
      ids.map(() => now.getTime()),
    )
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(Array.from({ length: 1_000 }, () => eventId(now, 1))).size).toBe(1_000)
  })
})

describe('the epoch of a body', () => {
  const epochIn = async ({ objectId }: { objectId: string }) => {
    const [row] = await db.rows<{ body: string }>('select body from events where object_id = $1', [objectId])
    return (JSON.parse(row?.body ?? '{}') as { epoch?: number }).epoch
  }
  const record = async (shopId: string) => {
    const happened = makeHappened({ shopId })
    await db.transaction((tx) => recordEvent(tx, happened))
    return epochIn(happened)
  }

  test('is 0 until the shop was restored, then that of its last restore; other shops keep theirs', async () => {
    const [restored, other] = [randomUUID(), randomUUID()]
    expect(await record(restored)).toBe(0)
    await beginEpoch(db, [restored], 1_786_528_800)
    expect([await record(restored), await record(other)]).toEqual([1_786_528_800, 0])
    await beginEpoch(db, [restored, other], 1_786_528_801)
    expect([await record(restored), await record(other)]).toEqual([1_786_528_801, 1_786_528_801])
  })

  test('never goes back, by whatever clock a restore is dated', async () => {
    const shopId = randomUUID()
    for (const epoch of [200, 100]) await beginEpoch(db, [shopId], epoch)
    expect(await findEpoch(db, shopId)).toBe(200)
  })
})

describe('an event and its change', () => {
  const count = async (objectId: string) => {
    const rows = await db.rows('select 1 from events where object_id = $1', [objectId])
    return rows.length
  }

  test('commit together', async () => {
    const happened = makeHappened()
    await db.transaction((tx) => recordEvent(tx, happened))
    const [row] = await db.rows<{ id: string; body: string }>('select * from events where object_id = $1', [
      happened.objectId,
    ])
    expect(row).toMatchObject({
      shop_id: happened.shopId,
      sequence: 1,
      type: 'order.created',
      happened_at: happened.now,
      published_at: null,
    })
    expect(row?.body).toBe(eventBody(row?.id ?? '', happened))
  })

  test('a transaction that is rolled back leaves no event', async () => {
    const happened = makeHappened()
    const work = db.transaction(async (tx) => {
      await recordEvent(tx, happened)
      throw new Error('changed my mind')
    })
    await expect(work).rejects.toThrow('changed my mind')
    expect(await count(happened.objectId)).toBe(0)
  })

  test('the same sequence twice at one instant is refused by the database', async () => {
    const happened = makeHappened()
    await db.transaction((tx) => recordEvent(tx, happened))
    await expect(db.transaction((tx) => recordEvent(tx, happened))).rejects.toMatchObject({ code: '23505' })
    expect(await count(happened.objectId)).toBe(1)
  })
})
