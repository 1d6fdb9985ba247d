// Proves what stands beside the bar of an import. run.md, Commands, `storefront import`.
import { describe, expect, test } from '@jest/globals'
import { openRecordCount } from './record-count.ts'
import { shown } from './progress.ts'

describe('the bar', () => {
  test('says how much, how fast and how long still, while the file is sent and while it is written', () => {
    const sending = { began: 0, done: 2_097_152, all: 10_485_760, unit: 'bytes' as const }
    expect(shown(sending, 2_000)).toEqual({
      word: 'sending',
      done: '2.0 MB',
      all: '10.0 MB',
      rate: '1.0 MB',
      remaining: '8s left',
    })
    const writing = { began: 1_000, done: 300, all: 1_000, unit: 'records' as const }
    expect(shown(writing, 4_000)).toEqual({
      word: 'records',
      done: '300',
      all: '1000',
      rate: '100',
      remaining: '7s left',
    })
  })

  test('says nothing of a time that it does not know', () => {
    expect(shown({ began: 0, done: 0, all: 5, unit: 'records' }, 9_000).remaining).toBe('starting')
    expect(shown({ began: 0, done: 5, all: 5, unit: 'records' }, 9_000).remaining).toBe('done')
  })
})

describe('records of a file that passes by', () => {
  test.each([
    ['a,b\n1,2\n3,4\n', 2],
    ['a,b\r\n1,2\r\n3,4', 2],
    ['a,b\n1,"two\nlines ""quoted"" here"\n', 1],
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
