// Memory does not grow with the file. import-formats.md, sections 1 ("Size") and 7.
// Read by a process of its own, because only there a limit of memory can be set.
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { withFile } from '#testing/import-text'

const heapMb = 48

test(`50 MB are read within ${heapMb} MB of heap`, async () => {
  const row = (invoice: number, n: number) =>
    `${invoice},A${n % 5000},${'LONG NAME '.repeat(24)}${n % 5000},1,2010-12-01 08:26:00,2.55,${10_000 + (invoice % 900)}.0,France\n`
  const rows = Array.from({ length: 165_000 }, (_, n) => row(500_000 + Math.floor(n / 20), n))
  const content = Buffer.from(
    `InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n${rows.join('')}`,
  )
  expect(content.length).toBeGreaterThan(48_000_000)
  const url = (file: string) => JSON.stringify(pathToFileURL(`services/admin-gateway/import/${file}`).href)
  const program = `
    const { scanFile, readItems } = await import(${url('import-file.ts')})
    const { openReport } = await import(${url('report.ts')})
    const context = { currency: 'GBP', timeZone: 'Europe/London', country: 'GB', now: new Date(), createContacts: false }
    const file = await scanFile(process.argv[1], 'retail', context)
    let orders = 0
    for await (const item of readItems(file, context, openReport())) if (item.kind === 'order') orders += 1
    console.log(JSON.stringify({ records: file.records, orders }))`
  const read = (path: string) =>
    promisify(execFile)(process.execPath, [
      `--max-old-space-size=${heapMb}`,
      '--input-type=module',
      '-e',
      program,
      path,
    ])
  const { stdout } = await withFile(content, read)
  expect(JSON.parse(stdout)).toEqual({ records: 165_000, orders: 8_250 })
}, 120_000)
