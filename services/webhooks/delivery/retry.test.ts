// Proves the verdict table and the schedule of states-and-events.md 4.2 and 4.3, number by number.
import { describe, expect, test } from '@jest/globals'
import type { AttemptError } from '#contracts/objects/webhook'
import { readConfig } from '#config/config'
import { makePace } from './delivery-config.ts'
import { nextOf, type Stand, verdictOf } from './retry.ts'

const published = readConfig({}, 'embedded').webhookRetryS
const pace = makePace(published)
const NOW = Date.parse('2026-08-12T10:00:00Z')
const answered = (
  status: number | null,
  error: AttemptError | null = null,
  headers: { retryAfter?: string; date?: string } = {},
) => verdictOf({ status, error, retryAfter: headers.retryAfter ?? null, date: headers.date ?? null }, pace, NOW)
const failed = (pauseS: number | null = null) => ({ kind: 'failed', pauseS })

describe('the verdict', () => {
  test.each([200, 201, 202, 204, 226, 299])('%i is delivered', (status) => {
    expect(answered(status)).toEqual({ kind: 'delivered' })
  })

  test.each([300, 301, 302, 304, 307, 308, 399])('%i is failed: nothing is followed', (status) => {
    expect(answered(status, 'redirect')).toEqual(failed())
  })

  test.each([400, 401, 403, 404, 405, 409, 413, 418, 422, 499, 500, 502, 504, 599])(
    '%i is failed and tried again',
    (status) => {
      expect(answered(status)).toEqual(failed())
      expect(answered(status, null, { retryAfter: '60' })).toEqual(failed())
    },
  )

  test('410 ends it for good', () => {
    expect(answered(410)).toEqual({ kind: 'gone' })
  })

  test.each(['timeout', 'connection', 'reset', 'dns', 'tls', 'bad_http', 'blocked_address'] as const)(
    '%s is failed',
    (error) => {
      expect(answered(null, error)).toEqual(failed())
    },
  )

  test('a status outside of HTTP is failed', () => {
    for (const status of [0, 100, 199, 600, 999]) expect(answered(status)).toEqual(failed())
  })

  test('a worker that died is no failure of the receiver', () => {
    expect(answered(null, 'interrupted')).toEqual({ kind: 'interrupted' })
  })

  test.each([
    ['60', 60],
    [' 60 ', 60],
    ['0', null],
    ['-5', null],
    ['86400', 86_400],
    ['86401', 86_400],
    ['9999999999', 86_400],
    ['1.5', null],
    ['soon', null],
    ['', null],
    ['Wed, 12 Aug 2026 10:02:00 GMT', 120],
    ['Wed, 12 Aug 2026 09:59:00 GMT', null],
    ['Sun, 12 Aug 2029 10:00:00 GMT', 86_400],
    ['2026-08-12T10:02:00Z', null],
    ['Wed, 99 Aug 2026 10:02:00 GMT', null],
  ])('429 and 503 with Retry-After "%s" pause for %p seconds', (retryAfter, pauseS) => {
    for (const status of [429, 503]) expect(answered(status, null, { retryAfter })).toEqual(failed(pauseS))
  })

  test('a Retry-After date counts from the clock of the receiver', () => {
    const headers = { retryAfter: 'Wed, 12 Aug 2026 23:01:00 GMT', date: 'Wed, 12 Aug 2026 23:00:00 GMT' }
    expect(answered(503, null, headers)).toEqual(failed(60))
  })
})

describe('the schedule', () => {
  const start: Stand = { step: 0, interruptions: 0, flight: 'scheduled' }

  test('is twelve attempts with the published waits between them', () => {
    const waits: (number | null)[] = []
    let step = 0
    for (;;) {
      const next = nextOf(failed() as never, { ...start, step }, pace, 0)
      if (next.state !== 'pending') {
        expect(next).toEqual({ state: 'failed' })
        break
      }
      waits.push(next.waitS)
      step = next.step
    }
    expect(waits).toEqual([5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400])
  })

  test('adds up to a fifth to every wait, and never takes away', () => {
    const waitAt = (chance: number) => nextOf({ kind: 'failed', pauseS: null }, { ...start, step: 3 }, pace, chance)
    expect(waitAt(0)).toMatchObject({ waitS: 600 })
    expect(waitAt(0.5)).toMatchObject({ waitS: 660 })
    expect(waitAt(0.999_999)).toMatchObject({ waitS: expect.closeTo(720, 3) })
  })

  test('waits for the receiver where that is longer, and not less than its own wait', () => {
    expect(nextOf({ kind: 'failed', pauseS: 60 }, start, pace, 0)).toMatchObject({ step: 1, waitS: 60 })
    expect(nextOf({ kind: 'failed', pauseS: 60 }, { ...start, step: 3 }, pace, 0)).toMatchObject({
      step: 4,
      waitS: 600,
    })
  })

  test('a success ends it at any step, 410 as well', () => {
    for (const step of [0, 5, 11]) {
      expect(nextOf({ kind: 'delivered' }, { ...start, step }, pace, 0)).toEqual({ state: 'delivered' })
      expect(nextOf({ kind: 'gone' }, { ...start, step }, pace, 0)).toEqual({ state: 'failed' })
    }
  })

  test('an attempt out of turn uses no step and moves no time', () => {
    for (const flight of ['rush', 'manual'] as const) {
      const stand: Stand = { step: 11, interruptions: 2, flight }
      expect(nextOf({ kind: 'failed', pauseS: 60 }, stand, pace, 0.5)).toEqual({
        state: 'pending',
        step: 11,
        interruptions: 0,
        waitS: null,
      })
      expect(nextOf({ kind: 'delivered' }, stand, pace, 0.5)).toEqual({ state: 'delivered' })
    }
  })

  test('an interruption keeps its time, which has come, and uses no step; the third in a row uses one', () => {
    const after = (interruptions: number, step = 0) =>
      nextOf({ kind: 'interrupted' }, { ...start, step, interruptions }, pace, 0)
    expect(after(0)).toEqual({ state: 'pending', step: 0, interruptions: 1, waitS: null })
    expect(after(1)).toEqual({ state: 'pending', step: 0, interruptions: 2, waitS: null })
    expect(after(2)).toEqual({ state: 'pending', step: 1, interruptions: 0, waitS: 5 })
    expect(after(2, 11)).toEqual({ state: 'failed' })
  })
})
