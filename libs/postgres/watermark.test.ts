// The stamp of a changed row is later than its old one. docs/spec/sync.md#promise
// That every change takes its stamp this way is proved by the stamps.test.ts of each service.
import { expect, test } from '@jest/globals'
import { nextStamp } from './watermark.ts'

const old = new Date('2026-08-12T09:30:00.123Z')
const later = (ms: number) => new Date(old.getTime() + ms)

test.each([
  ['in the same millisecond', 0, 1],
  ['a millisecond later', 1, 1],
  ['a second later', 1_000, 1_000],
  ['after the clock was set back by an hour', -3_600_000, 1],
])('a change %s has a later stamp', (_name, ms, expected) => {
  expect(nextStamp(old, later(ms))).toEqual(later(expected))
})
