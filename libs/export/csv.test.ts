// Writing CSV, its guard against formulas, and lists in one cell. docs/spec/imports.md#cells-of-our-exports
import { describe, expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvLine, guarded, unguarded } from './csv.ts'
import { listCell, listOfCell, pairsCell, pairsOfCell } from './list-cell.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', '\\', ' ', 'a', '🎉'),
    maxLength: 12,
  }),
)

describe('the guard', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+447700900123', "'+447700900123"],
    ['-5', "'-5"],
    ['@home', "'@home"],
    ['\tx', "'\tx"],
    ["'=1+1", "''=1+1"],
    ['mug', 'mug'],
    ['a=b', 'a=b'],
    ["it's", "it's"],
    ["'quoted'", "'quoted'"],
    ['', ''],
  ])('writes %j as %j', (text, written) => {
    expect(guarded(text)).toBe(written)
    expect(unguarded(written)).toBe(text)
  })

  test('is taken off exactly, and no guarded text begins like a formula', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(unguarded(guarded(text))).toBe(text)
        expect(guarded(text)).not.toMatch(/^[-+=@\t\r]/)
      }),
      { numRuns: 5_000 },
    )
  })

  test('never writes two texts alike', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        expect(guarded(one) === guarded(other)).toBe(one === other)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('a line', () => {
  test('of any texts is read again as it was, also one of a megabyte', () => {
    const read = (line: string) => parse(line, { record_delimiter: ['\r\n', '\n'], relax_quotes: true })[0] as string[]
    fc.assert(
      fc.property(
        fc.array(
          hostile.filter((text) => !text.includes('\ufeff')),
          { minLength: 2, maxLength: 5 },
        ),
        (texts) => {
          const row = ['id', ...texts]
          expect(read(csvLine(row.map(guarded))).map(unguarded)).toEqual(row)
        },
      ),
      { numRuns: 3_000 },
    )
    const long = ['id', `=${'x"\r\n'.repeat(260_000)}`]
    expect(read(csvLine(long.map(guarded))).map(unguarded)).toEqual(long)
  })
})

describe('a list in a cell', () => {
  const word = hostile.filter((text) => text !== '')

  test('reads like one', () => {
    expect(listCell(['red', 'light, blue', String.raw`back\slash`])).toBe(String.raw`red, light\, blue, back\\slash`)
    expect(pairsCell({ Size: 'L', 'a=b': ' x ' })).toBe(String.raw`Size=L, a\=b=\ x\ `)
    expect(listCell([])).toBeNull()
    expect(pairsCell({})).toBeNull()
  })

  test('of any texts is read again as it was', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (texts) => {
        expect(listOfCell(listCell(texts) ?? '')).toEqual(texts)
      }),
      { numRuns: 5_000 },
    )
  })

  test('of any names and values is read again as it was', () => {
    fc.assert(
      fc.property(fc.dictionary(word, word, { minKeys: 1, maxKeys: 5, noNullPrototype: true }), (pairs) => {
        expect(pairsOfCell(pairsCell(pairs) ?? '')).toEqual(Object.entries(pairs))
      }),
      { numRuns: 5_000 },
    )
  })

  test.each(['a,,b', 'a,', ','])('with an empty part such as %j is refused', (cell) => {
    expect(listOfCell(cell)).toBeNull()
  })

  test.each(['Size', 'Size=', '=L', 'Size=L=M', 'Size=L,,Colour=Blue'])('of options such as %j is refused', (cell) => {
    expect(pairsOfCell(cell)).toBeNull()
  })
})
