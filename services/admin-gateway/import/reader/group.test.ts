// Objects whose records are scattered over the file (docs/spec/imports.md#size).
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { importText } from '#testing/files/import-text'

const header = 'Handle,Title,Variant Price,Option1 Name,Option1 Value,Body (HTML)'

describe('scattered records', () => {
  test('beyond the memory bound they are read again from the file, with quotes and line breaks', async () => {
    const text = 'x'.repeat(9_000)
    const count = 1_500 // 13 MB of open objects; 8 are held.
    const firsts = Array.from({ length: count }, (_, n) => `p-${n},P ${n},1.00,Size,S,"${text}\n""é ${n}"""`)
    const seconds = Array.from({ length: count }, (_, n) => `p-${n},,2.00,,"M, ""wide"" ${n}",`)
    const { products, report } = await importText(`\ufeff${[header, ...firsts, ...seconds].join('\r\n')}`)
    expect(report.problems).toEqual([])
    expect(products).toHaveLength(count)
    for (const n of [0, 1, 999, 1_499]) {
      expect(products[n]).toMatchObject({ key: `p-${n}`, record: n + 1, line: 2 + 2 * n })
      expect(products[n]?.product.description).toBe(`${text}\n"é ${n}"`)
      expect(products[n]?.product.variants.map(({ options }) => options[0]?.[1])).toEqual(['S', `M, "wide" ${n}`])
    }
  })

  test('in any order they yield the same products', async () => {
    const rows = [
      'ID,Type,SKU,Name,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)',
      '1,variable,a,A,,,Size,"S, M"',
      '2,variable,b,B,,,Size,"S, M"',
      '3,simple,c,C,3,,,',
      '11,variation,a-s,,1,a,Size,S',
      '12,variation,a-m,,2,id:1,Size,M',
      '21,variation,b-any,,4,b,Size,',
    ]
    const read = async (lines: string[]) => {
      const { products } = await importText(`${[rows[0], ...lines].join('\n')}\n`)
      return new Map(
        products.map(({ key, product }) => {
          const variants = product.variants.toSorted((one, other) => (one.key < other.key ? -1 : 1))
          return [key, { ...product, variants }]
        }),
      )
    }
    const wanted = await read(rows.slice(1))
    expect([...wanted.keys()].toSorted()).toEqual(['1', '2', '3'])
    const shuffled = fc.shuffledSubarray(rows.slice(1), { minLength: 6 })
    await fc.assert(
      fc.asyncProperty(shuffled, async (lines) => {
        expect(await read(lines)).toEqual(wanted)
      }),
      { numRuns: 40 },
    )
  })
})
