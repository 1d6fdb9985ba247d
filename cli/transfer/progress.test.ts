// The progress of an import.
import { describe, expect, test } from '@jest/globals'
import type { ImportRecord } from '#contracts/objects/import-record'
import { sendingOf, stepOf } from './progress.ts'

describe('beside the progress bar', () => {
  test('stand amount, rate and remaining time of the bytes while the file is sent', () => {
    expect(sendingOf(2_097_152, 10_485_760, 2_000)).toMatchObject({
      what: 'sending',
      doneText: '2.0 MB',
      allText: '10.0 MB',
      rate: '1.0 MB/s',
      remaining: '8s left',
    })
    expect(sendingOf(0, 5, 1_000).remaining).toBe('')
  })

  const record = (facts: Partial<ImportRecord>) => stepOf(facts as ImportRecord)
  test('stand phase, objects, rate and remaining time of the import when it runs', () => {
    const writing = { phase: 'writing', processed: 300, total: 1_000, recordsPerSecond: 99.6, etaSeconds: 400 }
    expect(record(writing)).toMatchObject({
      what: 'writing',
      doneText: '300',
      allText: '1000',
      rate: '100 rows/s',
      remaining: '7min left',
    })
  })

  test('stands no time and no total before they are known', () => {
    const checking = { phase: 'checking', processed: 0, total: null, recordsPerSecond: null, etaSeconds: null }
    expect(record(checking)).toMatchObject({ what: 'checking', allText: '?', rate: '', remaining: '' })
  })
})
