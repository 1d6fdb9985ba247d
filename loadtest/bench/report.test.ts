// Proves what the side-by-side benchmark makes of its windows: ratios inside a round, the median of them, steps back.
import { expect, test } from '@jest/globals'
import type { FormName } from './form.ts'
import type { Window } from './measure.ts'
import { ratiosOf, stepsBack, tableOf } from './report.ts'

const window = (form: FormName, round: number, sumUs: number): Window => ({
  ...{ scenario: 'GET /orders', connections: 8, form, round, requests: 1_000, perSecond: 500, p50Ms: 1.5, p99Ms: 9 },
  ...{ bytes: 40_000, cpuUs: { process: sumUs - 50, postgres: 50 }, sumUs },
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
    'GET /orders, one process, 8 connections: 1.30 × floor at best, was 1.03',
  ])
  expect(stepsBack(now, [], 0.25)).toEqual([])
})
