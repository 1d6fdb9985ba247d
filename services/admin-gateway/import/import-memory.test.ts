// Memory does not grow with the file (docs/spec/imports.md#size): the thread that reads it has a small heap, and ends when that is exhausted.
import { expect, test } from '@jest/globals'
import { withFile } from '#testing/files/import-text'
import { openFile, threadHeap } from './reader/read-file.ts'
import { openReport } from './writer/report.ts'

const heapMb = threadHeap.maxOldGenerationSizeMb
const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
const timeoutMs = 600_000 // The largest file of this folder; what is proved is its memory, not its speed.

/** What the thread finds in a file of these rows. */
function readRows(count: number, rowOf: (n: number) => string) {
  const rows = Array.from({ length: count }, (_, n) => rowOf(n))
  const context = {
    currency: 'GBP',
    timeZone: 'Europe/London',
    country: 'GB',
    now: new Date(),
    createContacts: false,
    defaultPaymentMethod: 'bank_transfer' as const,
  }
  return withFile(Buffer.from(header + rows.join('')), async (path) => {
    const file = await openFile(path, null, context)
    const report = openReport()
    const counts = { order: 0, contact: 0, product: 0, refund: 0, exported: 0 }
    try {
      for await (const item of file.items(report)) counts[item.kind] += 1
    } finally {
      await file.close()
    }
    return { records: report.counts.records, ...counts }
  })
}

test(
  `a file of 50 MB is read within ${heapMb} MB of heap`,
  async () => {
    const row = (n: number) => {
      const invoice = 500_000 + Math.floor(n / 20)
      const name = `${'LONG NAME '.repeat(24)}${n % 5000}`
      return `${invoice},A${n % 5000},${name},1,2010-12-01 08:26:00,2.55,${10_000 + (invoice % 900)}.0,France\n`
    }
    const records = 165_000
    expect(records * row(0).length).toBeGreaterThan(48_000_000)
    const found = { records, order: records / 20, contact: 900, product: 5_000, refund: 0, exported: 0 }
    expect(await readRows(records, row)).toEqual(found)
  },
  timeoutMs,
)

test(
  'a file of 60,000 orders of as many customers, each of two records far apart, is read within the same heap',
  async () => {
    const orders = 60_000
    const row = (n: number) => `${500_000 + (n % orders)},A1,Mug,1,2010-12-01 08:26:00,2.55,${n % orders}.0,France\n`
    const found = { records: 2 * orders, order: orders, contact: orders, product: 1, refund: 0, exported: 0 }
    expect(await readRows(2 * orders, row)).toEqual(found)
  },
  timeoutMs,
)
