// An import and the bus: batches within their bounds, keys resolved to ids, retries and reports of outages
// (docs/spec/imports.md#identity-and-re-import). The test answers the calls.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Call } from '#runtime/service'
import { openLog } from '#telemetry/log'
import { isUuid } from '#contracts/actions/params'
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
    return (await answers(one, sent.filter((other) => other.action === action).length)) ?? usual(one)
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
  if (action.endsWith('.known')) return { ids: {} }
  if (action.endsWith('.import_unchanged')) return { results: [] }
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

  test('have names that follow from the import and their number, so that a second run asks with the same', async () => {
    const namesOf = async () => named((await run(file(250))).sent, 'products.import').map(({ params }) => params.batch)
    const first = await namesOf()
    expect(new Set(first).size).toBe(3)
    expect(await namesOf()).toEqual(first)
    for (const name of first) expect(isUuid(String(name))).toBe(true)
  })

  test('of a file that is known are asked about by their fingerprints, and only what has changed is sent', async () => {
    const columns = 'Name,Email,Created at,Total,Currency,Lineitem name,Lineitem quantity,Lineitem price\n'
    const order = (index: number) => `#${index},,2010-12-01 09:00:00 +0000,1.00,GBP,Mug,1,1.00\n`
    const text = columns + Array.from({ length: 600 }, (_, index) => order(index)).join('')
    const unchanged = (items: { key: string }[]) => ({
      results: items.map(({ key }) => ({ key, outcome: 'unchanged', id: 'x', code: null, message: null })),
    })
    // Of the first batch one order has changed, and of the last one.
    const { sent, finish } = await run(text, (one) => {
      const { action } = one
      if (action === 'products.find_for_lines') {
        const found = { product_id: null, variant_id: null, kind: null, title: 'Mug', variant_label: null }
        return { lines: itemsOf(one).map(() => found) }
      }
      if (action === 'orders.import_unchanged') return unchanged(itemsOf(one).filter(({ key }) => key !== '#599'))
      if (action === 'orders.import' && itemsOf(one).length > 1) return unchanged(itemsOf(one))
      return undefined
    })
    expect(named(sent, 'orders.import').map((one) => itemsOf(one).length)).toContain(1)
    expect(named(sent, 'orders.import_unchanged').flatMap(itemsOf).at(-1)).toMatchObject({
      key: '#599',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(finish).toMatchObject({ created: 1, unchanged: 599, failed: 0 })
  })

  test('of one key are never under way at once, and never together', async () => {
    const columns = 'Name,Id,Email,Created at,Total,Currency,Lineitem name,Lineitem quantity,Lineitem price\n'
    const row = (name: string) => `${name},5000,,2010-12-01 09:00:00 +0000,1.00,GBP,Mug,1,1.00\n`
    let underWay = 0
    const { sent, finish } = await run(columns + row('#1') + row('#2') + row('#3'), async (one) => {
      if (one.action === 'products.find_for_lines') {
        return { lines: [{ product_id: null, variant_id: null, kind: null, title: 'Mug', variant_label: null }] }
      }
      if (one.action !== 'orders.import') return undefined
      underWay += 1
      expect(underWay).toBe(1)
      await setImmediate()
      underWay -= 1
      return undefined
    })
    expect(named(sent, 'orders.import').map((one) => itemsOf(one).map(({ key }) => key))).toEqual([
      ['5000'],
      ['5000'],
      ['5000'],
    ])
    expect(finish).toMatchObject({ status: 'completed', created: 3 })
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
    const actions = sent.map(({ action }) => action).filter((action) => action !== 'imports.progress') // One a second.
    expect(actions).toEqual([
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
        ? {
            results: [
              { key: 'A1', outcome: 'failed', id: null, code: 'invalid_request', message: 'No.', field: 'title' },
            ],
          }
        : undefined
    const { sent, finish } = await run(columns + line('1', 'A1', ''), fail)
    expect(itemsOf(named(sent, 'orders.import')[0] as Sent)).toMatchObject([
      { order: { lines: [{ product_id: null }] } },
    ])
    const errors = [{ line: 2, column: 'title', code: 'invalid_request', message: 'No.' }]
    expect(finish).toMatchObject({ created: 1, failed: 1, errors })
  })

  test('a refund finds the contact of an earlier file', async () => {
    const know: Answers = ({ action }) => (action === 'contacts.known' ? { ids: { 17850: 'earlier' } } : undefined)
    const lines = [line('C3', 'A1', '17850.0', -2), line('C4', 'A1', '99', -1), line('C5', 'A1', 'constructor', -1)]
    const { sent } = await run(columns + lines.join(''), know)
    expect(named(sent, 'contacts.known').map(({ params }) => params)).toEqual([
      { source: 'retail', keys: ['17850', '99', 'constructor'] },
    ])
    expect(itemsOf(named(sent, 'orders.import_refunds')[0] as Sent)).toMatchObject([
      { key: 'C3:1', client_id: 'earlier', sku: 'A1', amount_cents: 500 },
      { key: 'C4:1', client_id: null },
      { key: 'C5:1', client_id: null },
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
