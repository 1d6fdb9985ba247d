// Reading of files in any format (docs/spec/imports.md#reading-rules, docs/spec/imports.md#required-cases).
import { truncate } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { limits } from '#contracts/limits'
import { importText, londonShop, withFile } from '#testing/files/import-text'
import { importFormats } from '#contracts/input/import'
import type { ImportFormat } from '../formats/format.ts'
import { formatNamed, formats } from '../formats/formats.ts'
import { FileProblem, readHeader, recordReader } from './csv.ts'
import { scanFile } from './import-file.ts'

const header = 'Handle,Title,Variant Price'

async function problemOf(content: string | Uint8Array, format: ImportFormat | null = null) {
  return withFile(content, async (path) => {
    try {
      await scanFile(path, format, londonShop)
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error
      return { code: error.code, message: error.message }
    }
    return null
  })
}

describe('the bytes of a file', () => {
  test('a byte order mark is not part of the first column', async () => {
    const { products } = await importText(`\ufeff${header}\nlamp,Lamp,1.00\n`)
    expect(products.map(({ key }) => key)).toEqual(['lamp'])
  })

  test('lines may end in LF, CRLF or both, and the last one in nothing', async () => {
    const { products } = await importText(`${header}\r\na,A,1\nb,B,2\r\nc,C,3`)
    expect(products.map(({ key, line }) => [key, line])).toEqual([
      ['a', 2],
      ['b', 3],
      ['c', 4],
    ])
  })

  test('lines may end in CR alone, with line breaks of any kind inside cells', async () => {
    const { products } = await importText(`${header}\ra,A,1\rb,"B\nB\rB",2\r\rc,C,3\r`)
    expect(products.map(({ key, line }) => [key, line])).toEqual([
      ['a', 2],
      ['b', 3],
      ['c', 7],
    ])
  })

  test('a CR inside a line of a file whose lines end in LF ends nothing', async () => {
    const { products } = await importText(`${header}\na,A\rA,1\n`)
    expect(products.map(({ key }) => key)).toEqual(['a'])
  })

  const text = `${header}\ncafe,Caf\u00e9,1\n`
  test.each([
    ['Latin-1', Buffer.from(text, 'latin1'), 35, /may be Latin-1 .* save it as "CSV UTF-8"/],
    ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 0, /UTF-16 .* save it as "CSV UTF-8"/],
    ['UTF-16 from the other end', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 0, /UTF-16/],
    ['UTF-16 without a mark', Buffer.from(header, 'utf16le'), 1, /UTF-16/],
    [
      'xlsx',
      Buffer.from('PK\x03\x04\x14\0\0\0\x08\0\xe3\xff[Content_Types].xml', 'latin1'),
      10,
      /Excel workbook.*"CSV UTF-8"/,
    ],
    ['zip', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0\xe3\xfforders.csv', 'latin1'), 10, /zip archive: unpack/],
    ['gzip', gzipSync(text), 1, /gzip archive: unpack/],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10', 'latin1'), 0, /not text/],
  ])(
    '%s fails the file with the offset of its first wrong byte and says how to save it',
    async (_name, bytes, offset, how) => {
      const problem = await problemOf(bytes)
      expect(problem).toEqual({ code: 'encoding', message: expect.stringMatching(how) })
      expect(problem?.message).toContain(`The file is not UTF-8 text: byte offset ${offset}. It `)
    },
  )

  test('the offset is right beyond the first chunk, and characters across chunks are whole', async () => {
    const text = Buffer.from(`${header}\na,${'\u20ac'.repeat(50_000)}`)
    expect(await problemOf(Buffer.concat([text, Buffer.from([0xff])]))).toEqual({
      code: 'encoding',
      message: expect.stringMatching('byte offset 150029. It may be Latin-1'),
    })
    expect(await problemOf(text.subarray(0, -1))).toEqual({
      code: 'encoding',
      message: expect.stringMatching('byte offset 150026. It may be Latin-1'),
    })
    expect(await problemOf(text)).toBeNull()
  })

  test.each([
    [';', 'Handle;Title;Variant Price\nlamp;Lamp, large;1.00\n'],
    ['tab', 'Handle\tTitle\tVariant Price\nlamp\tLamp, large\t1.00\n'],
    ['comma', 'Handle,Title,Variant Price\nlamp,"Lamp, large",1.00\n'],
  ])('%s may delimit', async (_name, text) => {
    const { products } = await importText(text)
    expect(products[0]).toMatchObject({ key: 'lamp', product: { title: 'Lamp, large', price_cents: 100 } })
  })
})

describe('the header', () => {
  test('is known of every format that the query may name', () => {
    expect(formats.map(({ format }) => format)).toEqual([...importFormats])
  })

  test('is matched in any case, order and spacing, and the first of two equal names counts', async () => {
    const { products, file } = await importText(' variant   PRICE ,TITLE,handle,Title\n1.00,First,lamp,Second\n')
    expect(products[0]).toMatchObject({ key: 'lamp', product: { title: 'First', price_cents: 100 } })
    expect(file.ignoredColumns).toEqual([])
  })

  test('unknown columns are ignored and listed once; known columns that are not read are not listed', async () => {
    const text = `${header},Vendor,Shelf No,Google Shopping / MPN,Shelf no,Colour (product.metafields.a.b)\nlamp,Lamp,1,x,y,z,w,v\n`
    const { file, products } = await importText(text)
    expect(file.ignoredColumns).toEqual(['Shelf No'])
    expect(products).toHaveLength(1)
  })

  test('a missing required column fails the file and is named', async () => {
    expect(await problemOf('InvoiceNo,StockCode,UnitPrice,Quantity,InvoiceDate,CustomerID,Country\n')).toEqual({
      code: 'missing_column',
      message: 'The file has no column description.',
    })
    expect(await problemOf('URL handle,Title\n', formatNamed('shopify-products'))).toEqual({
      code: 'missing_column',
      message: 'The file has no column price.',
    })
  })

  test('a file of no known format fails', async () => {
    expect(await problemOf('a,b,c\n1,2,3\n')).toMatchObject({ code: 'unknown_format' })
  })

  test('an empty file fails', async () => {
    expect(await problemOf('')).toMatchObject({ code: 'empty_file' })
    expect(await problemOf('\n \n\n')).toMatchObject({ code: 'empty_file' })
    expect(await problemOf('\n , ,\n\n', formatNamed('retail'))).toMatchObject({ code: 'missing_column' })
  })

  test('a file of a header alone is read and holds nothing', async () => {
    const { items, report } = await importText(`${header}\n`)
    expect(items).toEqual([])
    expect(report.counts).toMatchObject({ records: 0, skipped: 0, failed: 0, errors: 0, warnings: 0 })
  })
})

describe('rows', () => {
  test('cells may hold line breaks, quotes and delimiters; a record knows the line where it begins', async () => {
    const text = `${header}\r\na,"one\r\ntwo ""three"", four",1\r\n\r\nb,B "5" inch,2\r\n`
    const { products } = await importText(text)
    expect(products.map(({ record, line, product }) => [record, line, product.title])).toEqual([
      [1, 2, 'one\r\ntwo "three", four'],
      [2, 5, 'B "5" inch'],
    ])
  })

  test('a quote that is never closed fails the file and the line is named', async () => {
    expect(await problemOf(`${header}\na,A,1\nb,"B,2\nc,C,3\n`)).toEqual({
      code: 'quoting',
      message: 'A quoted cell of the record at line 3 is never closed.',
    })
    const many = 'a,A,1\n'.repeat(5000)
    expect(await problemOf(`${header}\n${many}b,"B,2\n${many}`)).toMatchObject({
      message: 'A quoted cell of the record at line 5002 is never closed.',
    })
  })

  test('missing cells are empty, rows of empty cells are not records', async () => {
    const { products, report } = await importText('Handle,Title,Variant Price,Tags\na,A,1\n,,,\n\n  , \nb,B,2,x\n')
    expect(products.map(({ key, record, product }) => [key, record, product.tags])).toEqual([
      ['a', 1, []],
      ['b', 2, ['x']],
    ])
    expect(report.counts).toMatchObject({ records: 2, errors: 0 })
  })

  test('a row with more cells than the header fails its object, the others go in', async () => {
    const { products, report } = await importText(`${header}\na,A,1\nb,B,1,50\nc,C,3\n`)
    expect(products.map(({ key }) => key)).toEqual(['a', 'c'])
    expect(report.counts).toMatchObject({ records: 3, failed: 1, errors: 1 })
    expect(report.problems).toEqual([
      {
        record: 2,
        line: 3,
        key: 'b',
        column: null,
        code: 'row_shape',
        value: null,
        message: 'The row has 4 cells, the header 3.',
        severity: 'error',
      },
    ])
  })

  test('U+0000 cannot be stored and fails its object alone', async () => {
    const { products, report } = await importText(`${header}\na,A\u0000,1\nb,B,2\n`)
    expect(products.map(({ key }) => key)).toEqual(['b'])
    expect(report.problems.map(({ code, line }) => [code, line])).toEqual([['bad_text', 2]])
  })

  test('a record without a key fails alone', async () => {
    const { products, report } = await importText(`${header}\n,A,1\nb,B,2\n`)
    expect(products.map(({ key }) => key)).toEqual(['b'])
    expect(report.problems).toMatchObject([{ code: 'no_key', record: 1, line: 2, column: 'Handle', value: null }])
  })

  test.each(['=1+1', '+1', '-1', '@a'])('text that looks like a formula is data: %s', async (title) => {
    const { products } = await importText(`${header}\na,${title},1\n`)
    expect(products[0]?.product.title).toBe(title)
  })
})

describe('size', () => {
  test('over 5 GB the file fails unread', async () => {
    const problem = await withFile('', async (path) => {
      await truncate(path, limits.importBytesMax + 1) // A hole: it takes no room.
      return scanFile(path, null, londonShop).catch((error: unknown) => error)
    })
    expect(problem).toMatchObject({ code: 'file_too_large' })
  })

  test('as many records as are allowed are read, one more fails the file', async () => {
    const read = (count: number) =>
      withFile(`${header}\n${'a,,\n'.repeat(count)}`, async (path) => {
        const reader = recordReader(path, await readHeader(path, () => true), ['handle'], { recordsMax: 2_000 })
        let last = 0
        for await (const { number } of reader.all()) last = number
        return last
      })
    expect(await read(2_000)).toBe(2_000)
    await expect(read(2_001)).rejects.toMatchObject({ code: 'too_many_records' })
  })

  test('a cell of 1 MB is read, one byte more fails the file', async () => {
    const file = (bytes: number) => `${header},Vendor\na,A,1,${'\u00e9'.repeat(100)}${'x'.repeat(bytes - 200)}\n`
    expect(await problemOf(file(1_048_576))).toBeNull()
    expect(await problemOf(file(1_048_577))).toEqual({
      code: 'cell_too_large',
      message: 'The record at line 2 has a cell over 1048576 bytes.',
    })
  })
})
