// Memory does not grow with the file (docs/spec/imports.md#size): a thread with a small heap reads the largest file.
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, test } from '@jest/globals'
import { withFile } from '#testing/import-text'

const heapMb = 48
const records = 165_000

test(`a file of 50 MB is read within ${heapMb} MB of heap`, async () => {
  const row = (invoice: number, n: number) =>
    `${invoice},A${n % 5000},${'LONG NAME '.repeat(24)}${n % 5000},1,2010-12-01 08:26:00,2.55,${10_000 + (invoice % 900)}.0,France\n`
  const rows = Array.from({ length: records }, (_, n) => row(500_000 + Math.floor(n / 20), n))
  const header = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
  const content = Buffer.from(header + rows.join(''))
  expect(content.length).toBeGreaterThan(48_000_000)
  const url = (file: string) => JSON.stringify(pathToFileURL(`services/admin-gateway/import/${file}`).href)
  const program = `
    const { parentPort, workerData } = require('node:worker_threads')
    void (async () => {
      const { scanFile, readItems } = await import(${url('reader/import-file.ts')})
      const { openReport } = await import(${url('writer/report.ts')})
      const context = { currency: 'GBP', timeZone: 'Europe/London', country: 'GB', now: new Date(), createContacts: false }
      const file = await scanFile(workerData, null, context)
      const report = openReport()
      let orders = 0
      for await (const item of readItems(file, context, report)) if (item.kind === 'order') orders += 1
      parentPort.postMessage({ records: report.counts.records, orders })
    })()`
  const read = async (path: string) => {
    const resourceLimits = { maxOldGenerationSizeMb: heapMb }
    const worker = new Worker(program, { eval: true, workerData: path, execArgv: [], resourceLimits })
    const [result] = (await once(worker, 'message')) as unknown[] // Rejects when the heap is exhausted.
    await worker.terminate()
    return result
  }
  expect(await withFile(content, read)).toEqual({ records, orders: records / 20 })
}, 120_000)
