// The progress bar of an import.
import { describe, expect, test } from '@jest/globals'
import { openRecordCount, textOf } from './progress.ts'

describe('the text beside the progress bar', () => {
  test('shows amount, rate and remaining time, first of the bytes sent, then of the records written', () => {
    const sending = { began: 0, done: 2_097_152, all: 10_485_760, unit: 'bytes' as const }
    expect(textOf(sending, 2_000)).toEqual({
      unit: 'sending',
      done: '2.0 MB',
      all: '10.0 MB',
      rate: '1.0 MB',
      remaining: '8s left',
    })
    const writing = { began: 1_000, done: 300, all: 1_000, unit: 'records' as const }
    expect(textOf(writing, 4_000)).toEqual({
      unit: 'records',
      done: '300',
      all: '1000',
      rate: '100',
      remaining: '7s left',
    })
  })

  test('shows no remaining time before the first record and after the last', () => {
    expect(textOf({ began: 0, done: 0, all: 5, unit: 'records' }, 9_000).remaining).toBe('starting')
    expect(textOf({ began: 0, done: 5, all: 5, unit: 'records' }, 9_000).remaining).toBe('done')
  })
})

describe('the record count of a file read in pieces', () => {
  test.each([
    ['a,b\n1,2\n3,4\n', 2],
    ['a,b\r\n1,2\r\n3,4', 2],
    ['a,b\n1,"two\nlines ""quoted"" here"\n', 1],
    ['a,b\r1,2\r"3\r",4\r', 2],
    ['a,b\n', 0],
    ['', 0],
  ])('%j holds %i', (text, records) => {
    for (const size of [1, 3, 1_000]) {
      const count = openRecordCount()
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; at += size) count.add(bytes.subarray(at, at + size))
      expect(count.records()).toBe(records)
    }
  })
})
