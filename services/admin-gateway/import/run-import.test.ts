// An import and the bus: batches within their bounds, keys resolved to ids, retries and reports of outages
// (docs/spec/imports.md#identity-and-re-import). The test answers the calls.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call } from '#runtime/service'
import { openLog } from '#telemetry/log'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { makeCaller } from '#testing/product/one-service'
import { type ImportJob, runImport } from './run-import.ts'
import { Stop } from './stop.ts'

type Sent = { action: string; params: Record<string, unknown> }
type Answers = (sent: Sent, times: number) => unknown

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-import-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs a file; `answers` may answer, or throw, for one action before the usual answers do. */
async function run(
  text: string,
  answers: Answers = () => undefined,
  ending = new AbortController(),
  run: ImportJob['run'] = null,
) {
  const path = join(folder, 'file.csv')
  writeFileSync(path, text)
  const sent: Sent[] = []
  const call: Call = async (action, params) => {
    const one = { action, params: params as Record<string, unknown> }
    sent.push(one)
    return answers(one, sent.filter((other) => other.action === action).length) ?? usual(one)
  }
  const caller = makeCaller()
  const options = { createContacts: false, defaultPaymentMethod: 'bank_transfer' as const }
  const known = { bytes: text.length, format: null, dryRun: false, options, caller, meta: { caller } }
  const job = { ...known, file: async () => path, run, ending, retryDelaysMs: [1, 1] }
  const body = await runImport({ batch: call, command: call }, openLog('silent', 'test'), job)
  return { sent, finish: JSON.parse(body?.toString() ?? 'null') as Record<string, unknown> }
}

function usual({ action, params }: Sent): unknown {
  if (action === 'imports.begin') return { id: 'import-1' }
  if (action === 'imports.progress') return { id: 'import-1', cancel: false }
  if (action === 'imports.store_problems' || action === 'imports.release') return { id: 'import-1' }
  if (action === 'imports.finish') return Buffer.from(JSON.stringify(params))
  if (action === 'contacts.known') return { ids: {} }
  const [items = []] = Object.values(params).filter(Array.isArray) as { key: string }[][]
  const made = { outcome: 'created', code: null, message: null }
  return { results: items.map(({ key }) => ({ ...made, key, id: `id of ${key}` })) }
}

const header = 'Handle,Title,Variant Price,Body (HTML)\n'
const product = (index: number, text = '') => `p-${index},Product ${index},1.00,${text}\n`
const file = (count: number, text = '') =>
  header + Array.from({ length: count }, (_, index) => product(index, text)).join('')
const named = (sent: Sent[], action: string) => sent.filter((one) => one.action === action)
const itemsOf = ({ params }: Sent) => Object.values(params).find(Array.isArray) as { key: string }[]

describe('batches', () => {
  test('hold at most a hundred objects, every object once and in order', async () => {
    const { sent, finish } = await run(file(250))
    const batches = named(sent, 'products.import').map(itemsOf)
    expect(batches.map(({ length }) => length)).toEqual([100, 100, 50])
    expect(batches.flat().map(({ key }) => key)).toEqual(Array.from({ length: 250 }, (_, index) => `p-${index}`))
    expect(finish).toMatchObject({ status: 'completed', processed: 250, created: 250, failed: 0, errors: [] })
  })

  test('stay below their bytes, however large the objects are', async () => {
    const { sent } = await run(file(40, 'x'.repeat(50_000)))
    const sizes = named(sent, 'products.import').map((one) => JSON.stringify(one.params).length)
    expect(sizes.every((size) => size < limits.importBatchBytes + 1_000)).toBe(true)
    expect(sizes).toHaveLength(8)
  })

  test('an object that is too large for the bus fails alone', async () => {
    const { sent, finish } = await run(header + product(1, 'x'.repeat(900_000)) + product(2))
    expect(named(sent, 'products.import').flatMap(itemsOf)).toMatchObject([{ key: 'p-2' }])
    const errors = [{ line: 2, code: 'too_large' }]
    expect(finish).toMatchObject({ status: 'completed', created: 1, failed: 1, errors })
  })
})

describe('keys and ids', () => {
  const columns = 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n'
  const line = (invoice: string, stock: string, customer: string, quantity = 1) =>
    `${invoice},${stock},Mug,${quantity},2010-12-01 08:26:00,2.50,${customer},France\n`

  test('orders have the ids of the products and contacts before them', async () => {
    const { sent } = await run(columns + line('1', 'A1', '17850.0') + line('2', 'A1', '') + line('2', 'B2', ''))
    expect(sent.map(({ action }) => action)).toEqual([
      ...['imports.begin', 'products.import', 'contacts.import', 'orders.import', 'imports.finish'],
    ])
    const [first, second] = itemsOf(named(sent, 'orders.import')[0] as Sent) as unknown as {
      order: { client_id: string | null; lines: { product_id: string }[] }
    }[]
    expect(first?.order).toMatchObject({
      client_id: 'id of 17850',
      lines: [{ product_id: 'id of A1', variant_id: null }],
    })
    expect(first?.order).not.toHaveProperty('contact_key')
    expect(second?.order).toMatchObject({
      client_id: null,
      lines: [{ product_id: 'id of A1' }, { product_id: 'id of B2' }],
    })
  })

  test('a product that failed leaves its lines without a productId', async () => {
    const fail: Answers = ({ action }) =>
      action === 'products.import'
        ? { results: [{ key: 'A1', outcome: 'failed', id: null, code: 'invalid_request', message: 'No.' }] }
        : undefined
    const { sent, finish } = await run(columns + line('1', 'A1', ''), fail)
    expect(itemsOf(named(sent, 'orders.import')[0] as Sent)).toMatchObject([
      { order: { lines: [{ product_id: null }] } },
    ])
    const errors = [{ line: 2, code: 'invalid_request', message: 'No.' }]
    expect(finish).toMatchObject({ created: 1, failed: 1, errors })
  })

  test('a refund finds the contact of an earlier file', async () => {
    const know: Answers = ({ action }) => (action === 'contacts.known' ? { ids: { 17850: 'earlier' } } : undefined)
    const { sent } = await run(columns + line('C3', 'A1', '17850.0', -2) + line('C4', 'A1', '99', -1), know)
    expect(named(sent, 'contacts.known').map(({ params }) => params)).toEqual([
      { source: 'retail', keys: ['17850', '99'] },
    ])
    expect(itemsOf(named(sent, 'orders.import_refunds')[0] as Sent)).toMatchObject([
      { key: 'C3:1', client_id: 'earlier', sku: 'A1', amount_cents: 500 },
      { key: 'C4:1', client_id: null },
    ])
  })
})

describe('outages', () => {
  test('a batch that fails by one is sent again, and nothing is lost', async () => {
    const { sent, finish } = await run(file(150), ({ action }, times) => {
      if (action === 'products.import' && times <= 2) throw new Error('the bus is gone')
    })
    const batches = named(sent, 'products.import').map((one) => itemsOf(one).length)
    expect(batches).toEqual([100, 100, 100, 50])
    const names = named(sent, 'products.import').map(({ params }) => params.batch)
    expect([names[1], names[2], new Set(names).size]).toEqual([names[0], names[0], 2]) // The same batch name each time.
    expect(finish).toMatchObject({ status: 'completed', created: 150 })
  })

  test('one that lasts ends the import, which says what was written and what to do', async () => {
    const { finish } = await run(file(150), ({ action }, times) => {
      if (action === 'products.import' && times > 1) throw refuse('unavailable', 'Not now.')
    })
    const message =
      'A part of the service did not answer for too long. What went in stays; send the same file again for the rest.'
    const errors = [{ line: null, code: 'server_error', message }]
    expect(finish).toMatchObject({ status: 'failed', created: 100, errors })
  })

  test('a refusal is not an outage: the batch is not sent again', async () => {
    const { sent, finish } = await run(file(1), ({ action }) => {
      if (action === 'products.import') throw refuse('invalid_request', 'source is required.')
    })
    expect(named(sent, 'products.import')).toHaveLength(1)
    expect(finish).toMatchObject({ status: 'failed', errors: [{ code: 'server_error' }] })
  })

  test('a final report that is lost is sent again', async () => {
    const { sent, finish } = await run(file(1), ({ action }, times) => {
      if (action === 'imports.finish' && times === 1) throw new Error('the bus is gone')
    })
    expect(named(sent, 'imports.finish')).toHaveLength(2)
    expect(finish).toMatchObject({ status: 'completed' })
  })

  test('a stop ends the delay before a retry, and the import says so', async () => {
    const stopping = new AbortController()
    const { finish } = await run(
      file(300),
      ({ action }, times) => {
        if (action !== 'products.import' || times < 2) return undefined
        stopping.abort(new Stop('interrupted', 'The import was stopped by a restart.'))
        throw new Error('the bus is gone')
      },
      stopping,
    )
    expect(finish).toMatchObject({ status: 'failed', created: 100, errors: [{ code: 'interrupted' }] })
  })
})
