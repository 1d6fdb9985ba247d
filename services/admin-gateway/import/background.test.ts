// Imports in the background (docs/spec/back-office.md#imports, docs/spec/internals.md#background-imports).
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ImportRecord } from '#contracts/objects/import-record'
import { limits } from '#contracts/limits'
import { adminRequest, importFile, sendFile, wholeList } from '#testing/admin-requests'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { forms } from '#testing/product/deployment-forms'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

const header = 'Handle,Title,Variant Price'
const productsFile = (count: number, price = '1.00') =>
  `${header}\n${Array.from({ length: count }, (_, n) => `p-${n},Product ${n},${price}\n`).join('')}`
const ended = ['completed', 'failed', 'cancelled']

describe.each(forms)('a background import, %s', (form) => {
  const stack = duringTests(() => openStack({ form }))
  let shop: string
  beforeEach(async () => {
    shop = (await stack.makeShop()).handle
  })

  const queue = async (body: string, query = ''): Promise<ImportRecord> => {
    const { status, text, body: answer } = await sendFile(stack, shop, body, `?background=true${query}`)
    expect([status, text]).toEqual([202, text])
    return (answer as { data: ImportRecord }).data
  }
  const read = async (id: string) => (await stack.admin('GET', `/shops/${shop}/imports/${id}`)).data as ImportRecord
  const cancel = (id: string) => adminRequest(stack, 'POST', `/shops/${shop}/imports/${id}/cancel`)
  const endOf = (id: string) =>
    until(async () => {
      const found = await read(id)
      return ended.includes(found.status) ? found : null
    })
  const problemsOf = async (id: string) => {
    const { status, headers, text } = await adminRequest(stack, 'GET', `/shops/${shop}/imports/${id}/errors`)
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(headers['content-disposition']).toBe(`attachment; filename="import-${id}-problems.csv"`)
    return text.split('\r\n').slice(0, -1)
  }
  /** Blocks writes of products until `during` is done, which may check whether a write waits. */
  async function whileProductsAreLocked<Value>(
    during: (isWriteWaiting: () => Promise<boolean>) => Promise<Value>,
  ): Promise<Value> {
    const database = await openClient(stack.databaseUrl)
    try {
      await database.query('begin; lock table catalog.products in share mode')
      return await during(async () => {
        const waiting = "select 1 from pg_locks where relation = 'catalog.products'::regclass and not granted"
        return (await database.query(waiting)).rows.length > 0
      })
    } finally {
      await database.close()
    }
  }
  /** Waits for two reports, so that the worker has seen what was there before the second one. */
  const twoReports = async (id: string) => {
    for (let times = 0; times < 2; times += 1) {
      const { updatedAt } = await read(id)
      await until(async () => (await read(id)).updatedAt !== updatedAt)
    }
  }
  const rowsOf = async (text: string) => {
    const database = await openClient(stack.databaseUrl)
    try {
      return (await database.query(text)).rows as Record<string, unknown>[]
    } finally {
      await database.close()
    }
  }

  test('is answered when the file has arrived, and ends as one whose caller waits', async () => {
    const file = `${productsFile(250)}bad,Bad,one pound\n\n,,\n`
    const queued = await queue(file)
    expect(queued).toMatchObject({ status: 'queued', phase: 'queued', processed: 0, total: null, finishedAt: null })
    const done = await endOf(queued.id)
    const counts = { processed: 251, created: 250, failed: 1, total: 251, records: 251, blankRecords: 2 }
    expect(done).toMatchObject({ status: 'completed', phase: 'ended', ...counts, problemCounts: { money: 1 } })
    expect(done).toMatchObject({ etaSeconds: null, ignoredRecords: 0, format: 'shopify-products' })
    expect(done.recordsPerSecond).toBeGreaterThan(0)
    shop = (await stack.makeShop()).handle
    const waited = await importFile(stack, shop, file)
    const { id: _id, createdAt: _a, updatedAt: _b, finishedAt: _c, recordsPerSecond: _d, ...report } = waited
    expect(done).toMatchObject(report)
    expect(await rowsOf('select file_id from auth.import_chunks')).toEqual([])
  })

  test('runs dry as well, and again everything is unchanged', async () => {
    const dry = await endOf((await queue(productsFile(5), '&dry_run=true')).id)
    expect(dry).toMatchObject({ status: 'completed', dryRun: true, created: 5 })
    expect(await wholeList(stack, shop, 'products')).toEqual([])
    expect(await endOf((await queue(productsFile(5))).id)).toMatchObject({ created: 5 })
    expect(await endOf((await queue(productsFile(5))).id)).toMatchObject({ unchanged: 5, total: 5 })
  })

  test('of one shop runs after another, each can be cancelled, and what is written stays', async () => {
    const { first, second } = await whileProductsAreLocked(async (isWriteWaiting) => {
      const running = await queue(productsFile(2_000)) // More than are under way at once.
      await until(async () => (await read(running.id)).phase === 'writing')
      await until(isWriteWaiting) // Before that a cancelled one may end at once.
      const waiting = await queue(productsFile(3, '2.00'))
      const cancelled = await cancel(waiting.id)
      expect([cancelled.status, cancelled.body]).toMatchObject([200, { data: { status: 'cancelled', phase: 'ended' } }])
      expect(cancelled.body).toMatchObject({ data: { errors: [{ code: 'cancelled', line: null }] } })
      const asked = await cancel(running.id)
      expect([asked.status, asked.body]).toMatchObject([200, { data: { status: 'running', phase: 'cancelling' } }])
      await twoReports(running.id)
      return { first: running.id, second: waiting.id }
    })
    const stopped = await endOf(first)
    expect(stopped).toMatchObject({ status: 'cancelled', phase: 'ended', problemCounts: { cancelled: 1 } })
    expect(stopped.processed).toBeLessThan(2_000)
    expect(stopped.processed).toBe(stopped.created)
    expect(await wholeList(stack, shop, 'products')).toHaveLength(stopped.created)
    for (const id of [first, second]) {
      const again = await cancel(id)
      expect([again.status, (again.body as { data: ImportRecord }).data.status]).toEqual([200, 'cancelled'])
    }
    expect((await problemsOf(second))[1]).toMatch(/^,,cancelled,,,Import the same file again/)
    const rest = await endOf((await queue(productsFile(2_000))).id)
    expect(rest).toMatchObject({ status: 'completed', created: 2_000 - stopped.created, unchanged: stopped.created })
    const late = await cancel(rest.id)
    expect([late.status, late.body]).toMatchObject([409, { error: { code: 'conflict' } }])
  }, 120_000)

  test('whose caller waits can be cancelled, and its caller gets the report', async () => {
    const answer = await whileProductsAreLocked(async (isWriteWaiting) => {
      const sent = sendFile(stack, shop, productsFile(2_000))
      const running = await until(async () => (await wholeList<ImportRecord>(stack, shop, 'imports'))[0])
      await until(isWriteWaiting)
      expect((await cancel(running.id)).status).toBe(200)
      expect((await read(running.id)).phase).toBe('cancelling')
      await twoReports(running.id)
      return { sent }
    })
    const { status, body } = await answer.sent
    expect([status, body]).toMatchObject([201, { data: { status: 'cancelled', phase: 'ended' } }])
  })

  test('a file that cannot be read fails with one problem', async () => {
    const done = await endOf((await queue('a,b\n1,2\n')).id)
    expect(done).toMatchObject({ status: 'failed', processed: 0, total: null, problemCounts: { unknown_format: 1 } })
    expect(done.errors).toHaveLength(1)
    expect(done.errors[0]?.message).toMatch(
      /Known formats: shopify-products, .*\. The nearest is [a-z-]+; it lacks the columns [a-z]+/,
    )
    expect(await problemsOf(done.id)).toEqual([
      'line,object,code,column,value,advice',
      expect.stringMatching(/^,,unknown_format,.*,,"?Choose the format/),
    ])
  })

  test('five thousand problems are counted, the first twenty shown, and all of them are in the file', async () => {
    const bad = Array.from({ length: 5_000 }, (_, n) => `p-${n},Product ${n},=${n}\n`).join('')
    const done = await endOf((await queue(`${header}\n${bad}`)).id)
    expect(done).toMatchObject({ status: 'completed', failed: 5_000, total: 5_000, problemCounts: { money: 5_000 } })
    expect(done.errors).toHaveLength(limits.importErrorsPerCode)
    expect(done.errors[0]).toMatchObject({ line: 2, key: 'p-0', value: '=0', column: 'Variant Price' })
    const [columns, ...lines] = await problemsOf(done.id)
    expect(columns).toBe('line,object,code,column,value,advice')
    const advice = '"Write the amount as 1234.50, without a currency sign."'
    expect(lines).toEqual(
      Array.from({ length: 5_000 }, (_, n) => `${n + 2},p-${n},money,Variant Price,'=${n},${advice}`),
    )
  })

  test('the queue of a shop is bounded', async () => {
    await whileProductsAreLocked(async () => {
      for (let n = 0; n < limits.importsQueuedPerShop; n += 1) await queue(productsFile(2))
      const more = await sendFile(stack, shop, productsFile(2), '?background=true')
      expect([more.status, more.body]).toMatchObject([429, { error: { code: 'rate_limited' } }])
      expect(more.headers['retry-after']).toBe('60')
      for (const { id } of await wholeList<ImportRecord>(stack, shop, 'imports')) await cancel(id)
    })
    await until(async () => {
      const all = await wholeList<ImportRecord>(stack, shop, 'imports')
      return all.every(({ status }) => ended.includes(status))
    })
  })

  test('an outage while the file arrives is a 5xx, and nothing of the file stays', async () => {
    const database = await openClient(stack.databaseUrl)
    try {
      await database.query('alter table auth.import_chunks rename to away')
      const { status, body } = await sendFile(stack, shop, productsFile(100), '?background=true')
      expect([status, body]).toMatchObject([500, { error: { code: 'server_error' } }])
    } finally {
      await database.query('alter table auth.away rename to import_chunks')
      await database.close()
    }
    expect(await wholeList(stack, shop, 'imports')).toEqual([])
    expect(await rowsOf("select id from auth.import_files where touched_at <> 'epoch'")).toEqual([])
    expect(await endOf((await queue(productsFile(1))).id)).toMatchObject({ created: 1 })
  })
})
