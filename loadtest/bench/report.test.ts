// Guarantees of report.ts: ratios inside a round, the median of them, steps back, bounds.
import { expect, test } from '@jest/globals'
import type { FormName } from './form.ts'
import type { Window } from './measure.ts'
import {
  brokenBounds,
  compressedRatios,
  linesOfCompressed,
  ratiosOf,
  stepsBack,
  tableOf,
  withRecorded,
} from './report.ts'

const window = (form: FormName, round: number, sumUs: number): Window => ({
  scenario: 'GET /orders',
  connections: 8,
  form,
  round,
  requests: 1_000,
  perSecond: 500,
  p50Ms: 1.5,
  p99Ms: 9,
  bytes: 40_000,
  cpuUs: { process: sumUs - 50, postgres: 50 },
  sumUs,
  relayedMs: 0,
})
// The machine became twice as slow in the second round, for both.
const windows = [
  ...[window('floor', 0, 100), window('one', 0, 130), window('floor', 1, 200), window('one', 1, 280)],
  ...[window('floor', 2, 100), window('one', 2, 150)],
]

test('a ratio is made inside a round; of the rounds the median counts', () => {
  expect(ratiosOf(windows)).toEqual([
    { scenario: 'GET /orders', connections: 8, form: 'one', ratio: 1.4, low: 1.3, high: 1.5 },
  ])
})

test('a compressed answer is compared with the same answer as it is, of the same round, form and connections', () => {
  const plain = windows.map((one) => ({ ...one, scenario: 'GET /orders, again' }))
  const gzip = windows.map((one) => ({ ...one, scenario: 'GET /orders, again, gzip', sumUs: one.sumUs * 1.5 }))
  expect(linesOfCompressed(compressedRatios([...windows, ...plain, ...gzip]))).toEqual([
    'bound: GET /orders, again, gzip, one process, 8 connections: 1.50 (1.50–1.50) × uncompressed, at most 1.3',
  ])
  expect(compressedRatios(gzip)).toEqual([])
})

test('the table has a line for each form, with its parts, sum, ratio and spread', () => {
  expect(tableOf(windows).split('\n').slice(2)).toEqual([
    '| GET /orders | 8 | floor | 500 | 1.50 | 9.0 | 40000 | process 50, postgres 50 | **100** | 1 |',
    '| GET /orders | 8 | one process | 500 | 1.50 | 9.0 | 40000 | process 100, postgres 50 | **150** | **1.40** (1.30–1.50) |',
  ])
})

test('what is more than a quarter worse than before even in its best round is a step back; what is new is none', () => {
  const now = ratiosOf(windows)
  const before = (ratio: number) => now.map((one) => ({ ...one, ratio }))
  expect(stepsBack(now, before(1.05), 0.25)).toEqual([])
  expect(stepsBack(now, before(1.03), 0.25)).toEqual([
    'step back: GET /orders, one process, 8 connections: 1.30 × floor at best, was 1.03',
  ])
  expect(stepsBack(now, [], 0.25)).toEqual([])
})

test('what a run measured replaces what was recorded of it, and the rest stays', () => {
  const [now] = ratiosOf(windows)
  if (now === undefined) throw new Error('There is no ratio.')
  const other = { ...now, scenario: 'place an order' }
  expect(withRecorded([now], [{ ...now, ratio: 9 }, other])).toEqual([now, other])
  expect(withRecorded([other], [now])).toEqual([now, other])
})

test('a bound is broken by the best round of a ratio, or by the memory of a process', () => {
  const ratio = { scenario: 'GET /orders (25)', connections: 8, form: 'nats' as const, ratio: 3.3, high: 3.5 }
  const within: [string, number][] = [
    ['orders', 384],
    ['auth', 256],
  ]
  const above: [string, number][] = [
    ['orders', 385],
    ['auth', 257],
  ]
  expect(brokenBounds([{ ...ratio, low: 3.1 }], within)).toEqual([])
  expect(brokenBounds([{ ...ratio, low: 3.11 }], above)).toEqual([
    'bound: GET /orders (25), over NATS, 8 connections: 3.11 × floor at best, at most 3.1',
    'bound: orders has 385 MB, at most 384',
    'bound: auth has 257 MB, at most 256',
  ])
})
