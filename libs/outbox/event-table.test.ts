// The days of the event table: created ahead, dropped after 30 days, never with an unpublished event.
// docs/spec/data-model.md#days
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Database } from '#postgres/connect'
import { daysFrom } from '#postgres/partitions'
import { openStorage } from '#testing/database'
import { eventStorage, makeHappened } from '#testing/event-schema'
import { recordEvent } from './record-event.ts'
import { dropEventDays, makeEventDays } from './event-table.ts'

let db: Database
let close: () => Promise<void>
beforeEach(async () => {
  ;({ db, close } = await openStorage(eventStorage))
})
afterEach(() => close())

async function days(): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1",
  )
  return rows.map(({ name }) => name)
}

async function record(now: Date): Promise<void> {
  await db.transaction((tx) => recordEvent(tx, makeHappened({ now })))
}

const nameOf = (day: Date) => `events_${day.toISOString().slice(0, 10).replaceAll('-', '')}`

describe('the days of the event table', () => {
  test('a new schema takes events from yesterday to a week ahead', async () => {
    const now = new Date()
    expect(await days()).toEqual(Array.from({ length: 9 }, (_, index) => nameOf(daysFrom(now, index - 1))))
    await record(daysFrom(now, -1))
    await record(daysFrom(now, 7))
  })

  test('are created ahead of a later day, each once, also by several at a time', async () => {
    const later = new Date('2031-02-27T23:59:59.999Z')
    const made = await Promise.all(Array.from({ length: 6 }, () => makeEventDays(db, later)))
    expect(made.reduce((sum, one) => sum + one, 0)).toBe(9)
    expect((await days()).slice(-9)).toEqual([
      ...['events_20310226', 'events_20310227', 'events_20310228', 'events_20310301', 'events_20310302'],
      ...['events_20310303', 'events_20310304', 'events_20310305', 'events_20310306'],
    ])
    await record(new Date('2031-02-27T23:59:59.999Z'))
    await record(new Date('2031-02-28T00:00:00.000Z'))
    expect(await db.rows('select 1 from events_20310227')).toHaveLength(1)
    expect(await db.rows('select 1 from events_20310228')).toHaveLength(1)
  })

  test('are dropped after 30 days, unless an event of that day is unpublished', async () => {
    const first = new Date('2031-03-01T12:00:00Z')
    await db.rows("select drop_days('events', '9999-01-01', 'false')")
    await makeEventDays(db, first)
    await record(new Date('2031-03-01T12:00:00Z'))
    await record(new Date('2031-03-02T12:00:00Z'))
    await db.rows("update events set published_at = now() where happened_at < '2031-03-02'")
    expect(await dropEventDays(db, new Date('2031-04-01T12:00:00Z'))).toBe(2)
    expect((await days()).slice(0, 2)).toEqual(['events_20310302', 'events_20310303'])
    expect(await dropEventDays(db, new Date('2031-04-03T12:00:00Z'))).toBe(1)
    expect((await days()).slice(0, 2)).toEqual(['events_20310302', 'events_20310304'])
    await db.rows('update events set published_at = now()')
    expect(await dropEventDays(db, new Date('2031-04-03T12:00:00Z'))).toBe(1)
  })

  test('a locked table is left for the next time', async () => {
    await db.session(async (session) => {
      await session.rows('begin')
      await session.rows('lock table events in share mode')
      expect(await makeEventDays(db, new Date('2031-02-27T00:00:00Z'))).toBe(0)
      await session.rows('rollback')
    })
    expect(await makeEventDays(db, new Date('2031-02-27T00:00:00Z'))).toBe(9)
  })
})
