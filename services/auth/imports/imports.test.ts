// The records of imports. docs/spec/back-office.md#imports
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ActionName } from '#contracts/actions'
import type { Caller, OperatorCaller } from '#contracts/caller'
import type { ImportProblem } from '#contracts/objects/import-record'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { auth } from '../service.ts'

const service = duringTests(() => openService(auth))
let caller: Caller
beforeEach(async () => {
  const shop = { handle: `shop-${randomUUID().slice(0, 8)}`, name: 'A shop', currency: 'GBP', timeZone: 'UTC' }
  caller = makeCaller({ shopId: JSON.parse(String(await service.call('shops.create', { shop }))).data.id })
})

const noCounts = { processed: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
const counts = { processed: 9, created: 3, updated: 2, unchanged: 1, skipped: 1, failed: 2 }
const problem: ImportProblem = {
  line: 7,
  record: 3,
  key: 'mug',
  column: 'Price',
  code: 'money',
  value: 'ten',
  message: 'No.',
  severity: 'error',
}
const begin = async () =>
  ((await service.call('imports.begin', { format: null, bytes: 123, dry_run: false }, { caller })) as { id: string }).id
const read = async (id: string, by = caller) =>
  JSON.parse(String(await service.call('imports.get', { id }, { caller: by }))).data

describe('an import', () => {
  test('running, with its progress, then completed', async () => {
    const id = await begin()
    const begun = await read(id)
    expect(begun).toEqual({
      id,
      object: 'import',
      format: null,
      status: 'running',
      phase: 'checking',
      dryRun: false,
      ...noCounts,
      total: null,
      records: 0,
      blankRecords: 0,
      ignoredRecords: 0,
      recordsPerSecond: null,
      etaSeconds: null,
      problemCounts: {},
      ignoredColumns: [],
      errors: [],
      createdAt: begun.createdAt,
      updatedAt: begun.createdAt,
      finishedAt: null,
    })
    const report = { id, ...counts, format: 'retail', ignored_columns: ['Colour'], errors: [problem] }
    await service.call('imports.progress', report, { caller })
    const halfway = await read(id)
    expect(halfway).toMatchObject({ ...counts, format: 'retail', ignoredColumns: ['Colour'], errors: [problem] })
    const finish = { id, ...counts, processed: 10, status: 'completed' as const }
    const finished = JSON.parse(String(await service.call('imports.finish', finish, { caller }))).data
    expect(finished).toEqual({
      ...halfway,
      processed: 10,
      status: 'completed',
      phase: 'ended',
      updatedAt: finished.finishedAt,
      finishedAt: expect.stringMatching(/Z$/),
    })
    expect(await read(id)).toEqual(finished)
  })

  test('finished again returns the same; any other report is a conflict', async () => {
    const id = await begin()
    const finish = { id, ...counts, status: 'failed' as const }
    const first = await service.call('imports.finish', finish, { caller })
    expect(String(await service.call('imports.finish', finish, { caller }))).toBe(String(first))
    const conflict = { type: 'conflict' }
    await expect(service.call('imports.progress', { id, ...counts }, { caller })).rejects.toMatchObject(conflict)
    const completed = { ...finish, status: 'completed' as const }
    await expect(service.call('imports.finish', completed, { caller })).rejects.toMatchObject(conflict)
  })

  test('without a report for a minute it is shown as interrupted, and as running after the next report', async () => {
    const id = await begin()
    await service.db.rows("update imports set updated_at = updated_at - interval '30 seconds' where id = $1", [id])
    expect((await read(id)).status).toBe('running')
    await service.db.rows("update imports set updated_at = updated_at - interval '31 seconds' where id = $1", [id])
    expect((await read(id)).status).toBe('interrupted')
    const list = JSON.parse(String(await service.call('imports.list', {}, { caller })))
    expect(list.data[0].status).toBe('interrupted')
    await service.call('imports.progress', { id, ...counts }, { caller })
    expect((await read(id)).status).toBe('running')
  })

  test('keeps its problems, errors before warnings', async () => {
    const id = await begin()
    const warnings = Array.from({ length: 20 }, (_, line) => ({ ...problem, line, severity: 'warning' as const }))
    const errors = [...warnings, ...Array.from({ length: 20 }, () => problem)]
    await service.call('imports.progress', { id, ...counts, errors, problem_counts: { money: 70 } }, { caller })
    const kept = await read(id)
    expect(kept.problemCounts).toEqual({ money: 70 })
    expect(kept.errors.map(({ severity }: ImportProblem) => severity)).toEqual([
      ...Array.from({ length: 20 }, () => 'error'),
      ...Array.from({ length: 20 }, () => 'warning'),
    ])
  })

  test('is not found by another shop, neither to read nor to report', async () => {
    const id = await begin()
    const stranger = makeCaller()
    await expect(read(id, stranger)).rejects.toMatchObject({ type: 'not_found' })
    await expect(read('x')).rejects.toMatchObject({ type: 'not_found' })
    const report = service.call('imports.progress', { id, ...counts }, { caller: stranger })
    await expect(report).rejects.toMatchObject({ type: 'not_found' })
  })

  test('is listed newest first, in pages', async () => {
    const made = [await begin(), await begin(), await begin()].toReversed()
    const first = JSON.parse(String(await service.call('imports.list', { limit: 2 }, { caller })))
    const next = { limit: 2, cursor: first.next_cursor }
    const second = JSON.parse(String(await service.call('imports.list', next, { caller })))
    const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
    expect(ids.toSorted()).toEqual(made.toSorted())
    expect([first.has_more, second.has_more]).toEqual([true, false])
  })

  test('whose file is queued again is answered as it is, also when it has ended, and a drop leaves a queued file', async () => {
    const operator: OperatorCaller = { id: randomUUID(), name: 'Mina', role: 'owner', shops: [], via: 'token' }
    const asked = <Answer>(name: ActionName, params: object) =>
      service.call(name, params as never, { caller, operator }) as Promise<Answer>
    const { id } = await asked<{ id: string }>('imports.open_file', {})
    const bytes = Buffer.from('a file')
    await asked('imports.store_chunk', { id, number: 0, bytes })
    const queue = async () => {
      const file = { id, chunks: 1, format: null, bytes: bytes.length, dry_run: false, options: {} }
      return JSON.parse(String(await asked('imports.queue', file))).data
    }
    const first = await queue()
    expect(first).toMatchObject({ id, status: 'queued' })
    expect(await queue()).toEqual(first)
    await asked('imports.drop_file', { id })
    const { claimed } = await asked<{ claimed: { id: string; fence: number } }>('imports.claim', {})
    expect(claimed).toMatchObject({ id })
    const run = { id, fence: claimed.fence }
    expect(String(await asked('imports.read_chunk', { ...run, number: 0 }))).toBe('a file')
    await asked('imports.finish', { ...run, ...counts, status: 'completed' })
    expect(await queue()).toMatchObject({ id, status: 'completed' })
    const { claimed: next } = await asked<{ claimed: unknown }>('imports.claim', {})
    expect(next).toBeNull()
  })
})
