// Memory does not grow with the file (docs/spec/imports.md#size): a thread with a small heap reads the largest file.
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, test } from '@jest/globals'
import { withFile } from '#testing/import-text'

const heapMb = 48
const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
const url = (file: string) => JSON.stringify(pathToFileURL(`services/admin-gateway/import/${file}`).href)
const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  void (async () => {
    const { scanFile, readSealed } = await import(${url('reader/import-file.ts')})
    const { openReport } = await import(${url('writer/report.ts')})
    const context = { currency: 'GBP', timeZone: 'Europe/London', country: 'GB', now: new Date(), createContacts: false }
    const file = await scanFile(workerData, null, context)
    const report = openReport()
    const counts = { order: 0, contact: 0, product: 0 }
    for await (const item of readSealed(file, context, report)) counts[item.kind] += 1
    parentPort.postMessage({ records: report.counts.records, ...counts })
  })()`

/** What a thread with a small heap finds in a file of these rows. */
function readRows(count: number, rowOf: (n: number) => string): Promise<unknown> {
  const rows = Array.from({ length: count }, (_, n) => rowOf(n))
  return withFile(Buffer.from(header + rows.join('')), async (path) => {
    const resourceLimits = { maxOldGenerationSizeMb: heapMb }
    const worker = new Worker(program, { eval: true, workerData: path, execArgv: [], resourceLimits })
    const [result] = (await once(worker, 'message')) as unknown[] // Rejects when the heap is exhausted.
    await worker.terminate()
    return result
  })
}

test(`a file of 50 MB is read within ${heapMb} MB of heap`, async () => {
  const row = (n: number) => {
    const invoice = 500_000 + Math.floor(n / 20)
    const name = `${'LONG NAME '.repeat(24)}${n % 5000}`
    return `${invoice},A${n % 5000},${name},1,2010-12-01 08:26:00,2.55,${10_000 + (invoice % 900)}.0,France\n`
  }
  const records = 165_000
  expect(records * row(0).length).toBeGreaterThan(48_000_000)
  const found = { records, order: records / 20, contact: 900, product: 5_000 }
  expect(await readRows(records, row)).toEqual(found)
}, 120_000)

test(`a file of 60,000 orders of as many customers, each of two records far apart, is read within the same heap`, async () => {
  const orders = 60_000
  const row = (n: number) => `${500_000 + (n % orders)},A1,Mug,1,2010-12-01 08:26:00,2.55,${n % orders}.0,France\n`
  const found = { records: 2 * orders, order: orders, contact: orders, product: 1 }
  expect(await readRows(2 * orders, row)).toEqual(found)
}, 240_000)
