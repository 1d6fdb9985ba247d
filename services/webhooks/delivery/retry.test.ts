// Tests every row of the verdict table and the retry schedule: docs/spec/webhooks.md#verdict, #retries.
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '#config/config'
import type { AttemptError } from '#contracts/objects/webhook'
import { makeDeliveryConfig } from './delivery-config.ts'
import { nextOf, type Progress, type Verdict, verdictOf } from './retry.ts'

const config = makeDeliveryConfig(readConfig({}, 'embedded').webhookRetryS)
const NOW = Date.parse('2026-08-12T10:00:00Z')
type Headers = { retryAfter?: string; date?: string }
const verdict = (status: number | null, error: AttemptError | null = null, { retryAfter, date }: Headers = {}) =>
  verdictOf({ status, error, retryAfter: retryAfter ?? null, date: date ?? null }, config, NOW)
const failed = (pauseS: number | null = null): Verdict => ({ kind: 'failed', pauseS })

describe('the verdict', () => {
  test.each([
    ['delivered for 2xx', [200, 201, 202, 204, 226, 299], { kind: 'delivered' }],
    ['gone for 410', [410], { kind: 'gone' }],
    ['failed for other 4xx and 5xx', [400, 401, 403, 404, 405, 409, 413, 418, 422, 499, 500, 502, 504, 599], failed()],
    ['failed for numbers that are no final status', [0, 100, 199, 600, 999], failed()],
  ] as const)('is %s, and ignores Retry-After there', (_name, statuses, expected) => {
    for (const status of statuses) {
      expect(verdict(status)).toEqual(expected)
      expect(verdict(status, null, { retryAfter: '60' })).toEqual(expected)
    }
  })

  test('is failed for redirects and for every error class but an interruption', () => {
    for (const status of [300, 301, 302, 304, 307, 308, 399]) expect(verdict(status, 'redirect')).toEqual(failed())
    for (const error of ['timeout', 'connection', 'reset', 'dns', 'tls', 'bad_http', 'blocked_address'] as const)
      expect(verdict(null, error)).toEqual(failed())
    expect(verdict(null, 'interrupted')).toEqual({ kind: 'interrupted' })
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
    for (const status of [429, 503]) expect(verdict(status, null, { retryAfter })).toEqual(failed(pauseS))
  })

  test('a Retry-After date is relative to the Date of the response', () => {
    const headers = { retryAfter: 'Wed, 12 Aug 2026 23:01:00 GMT', date: 'Wed, 12 Aug 2026 23:00:00 GMT' }
    expect(verdict(503, null, headers)).toEqual(failed(60))
  })
})

describe('the retry schedule', () => {
  const after = (result: Verdict, progress: Partial<Progress> = {}, chance = 0) =>
    nextOf(result, { step: 0, interruptions: 0, attempt_kind: 'scheduled', ...progress }, config, chance)

  test('is twelve attempts with the published waits between them', () => {
    const published = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (const [step, waitS] of published.entries())
      expect(after(failed(), { step })).toEqual({ state: 'pending', step: step + 1, interruptions: 0, waitS })
    expect(after(failed(), { step: 11 })).toEqual({ state: 'failed' })
  })

  test('adds up to a fifth to every wait', () => {
    expect(after(failed(), { step: 3 }, 0)).toMatchObject({ waitS: 600 })
    expect(after(failed(), { step: 3 }, 0.5)).toMatchObject({ waitS: 660 })
    expect(after(failed(), { step: 3 }, 0.999_999)).toMatchObject({ waitS: expect.closeTo(720, 3) })
  })

  test('waits for Retry-After where that is longer than its own wait', () => {
    expect(after(failed(60))).toMatchObject({ step: 1, waitS: 60 })
    expect(after(failed(60), { step: 3 })).toMatchObject({ step: 4, waitS: 600 })
  })

  test('ends at any step with a success or a 410', () => {
    for (const step of [0, 5, 11]) {
      expect(after({ kind: 'delivered' }, { step })).toEqual({ state: 'delivered' })
      expect(after({ kind: 'gone' }, { step })).toEqual({ state: 'failed' })
    }
  })

  test('uses no step and keeps the due time for an attempt of a recovery drain or on demand', () => {
    for (const attempt_kind of ['drain', 'manual'] as const) {
      const progress = { step: 11, interruptions: 2, attempt_kind }
      expect(after(failed(60), progress, 0.5)).toEqual({ state: 'pending', step: 11, interruptions: 0, waitS: null })
      expect(after({ kind: 'delivered' }, progress, 0.5)).toEqual({ state: 'delivered' })
    }
  })

  test('uses no step and keeps the due time for an interruption; the third in a row uses one', () => {
    const interrupted = (interruptions: number, step = 0) => after({ kind: 'interrupted' }, { step, interruptions })
    expect(interrupted(0)).toEqual({ state: 'pending', step: 0, interruptions: 1, waitS: null })
    expect(interrupted(1)).toEqual({ state: 'pending', step: 0, interruptions: 2, waitS: null })
    expect(interrupted(2)).toEqual({ state: 'pending', step: 1, interruptions: 0, waitS: 5 })
    expect(interrupted(2, 11)).toEqual({ state: 'failed' })
  })
})
