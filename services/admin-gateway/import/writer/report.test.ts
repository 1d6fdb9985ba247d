// The report of an import (docs/spec/imports.md#dry-run-and-report).
import { expect, test } from '@jest/globals'
import { openReport } from './report.ts'

test('of each severity the first hundred problems are kept and all are counted', () => {
  const report = openReport()
  for (let record = 1; record <= 150; record += 1) {
    report.error({ record, line: record + 1, column: 'Price' }, 'money', 'No amount.')
    report.warn({ record, line: record + 1 }, 'bad_country', 'No country.')
  }
  expect(report.counts).toMatchObject({ errors: 150, warnings: 150 })
  expect(report.problems).toHaveLength(200)
  expect(report.problems.slice(0, 2)).toEqual([
    { record: 1, line: 2, column: 'Price', code: 'money', message: 'No amount.', severity: 'error' },
    { record: 1, line: 2, column: null, code: 'bad_country', message: 'No country.', severity: 'warning' },
  ])
})
