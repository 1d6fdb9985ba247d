// The report of an import (docs/spec/imports.md#dry-run-and-report).
import { expect, test } from '@jest/globals'
import type { StoredProblem } from '#contracts/actions/imports'
import { openReport } from './report.ts'

test('of each code the first twenty problems are kept, and all are counted and stored in batches', async () => {
  const stored: StoredProblem[][] = []
  const report = openReport(async (batch) => void stored.push(batch))
  report.about('mug')
  for (let record = 1; record <= 550; record += 1) {
    report.error({ record, line: record + 1, column: 'Price', value: 'ten' }, 'money', 'No amount.')
    report.warn({ record, line: record + 1, object: 'cup' }, 'bad_country', 'No country.')
  }
  expect(report.isFull()).toBe(true)
  await report.flush()
  expect(report.isFull()).toBe(false)
  expect(report.counts).toMatchObject({ errors: 550, warnings: 550 })
  expect(report.problemCounts).toEqual({ money: 550, bad_country: 550 })
  expect(report.problems).toHaveLength(40)
  const first = { record: 1, line: 2, column: 'Price', value: 'ten', key: 'mug', code: 'money' }
  expect(report.problems.slice(0, 2)).toEqual([
    { ...first, message: 'No amount.', severity: 'error' },
    {
      record: 1,
      line: 2,
      column: null,
      value: null,
      key: 'cup',
      code: 'bad_country',
      message: 'No country.',
      severity: 'warning',
    },
  ])
  expect(stored.map(({ length }) => length)).toEqual([500, 500, 100])
  expect(stored.flat()[0]).toEqual({
    line: 2,
    number: 1,
    key: 'mug',
    column: 'Price',
    code: 'money',
    value: 'ten',
  })
  expect(new Set(stored.flat().map(({ number }) => number)).size).toBe(1_100)
})
