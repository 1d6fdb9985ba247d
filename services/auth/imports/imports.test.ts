// Proves the records of imports. Back office: POST and GET /shops/{shop}/imports. import-formats.md, section 1.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Caller } from '#contracts/caller'
import type { ImportProblem } from '#contracts/objects/import-record'
import { makeCaller, type OneService, openService } from '#testing/one-service'
import { auth } from '../service.ts'

let service: OneService
let caller: Caller
beforeAll(async () => {
  service = await openService(auth)
})
afterAll(() => service.close())
beforeEach(async () => {
  const shop = { handle: `shop-${randomUUID().slice(0, 8)}`, name: 'A shop', currency: 'GBP', timeZone: 'UTC' }
  caller = makeCaller({ shopId: JSON.parse(String(await service.call('shops.create', { shop }))).data.id })
})

const nothing = { processed: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
const some = { processed: 9, created: 3, updated: 2, unchanged: 1, skipped: 1, failed: 2 }
const problem: ImportProblem = { line: 7, record: 3, column: 'Price', code: 'money', message: 'No.', severity: 'error' }
const begin = async () =>
  ((await service.call('imports.begin', { format: null, bytes: 123, dry_run: false }, { caller })) as { id: string }).id
const read = async (id: string, by = caller) =>
  JSON.parse(String(await service.call('imports.get', { id }, { caller: by }))).data

describe('the life of an import', () => {
  test('running, with its progress, then completed', async () => {
    const id = await begin()
    const fresh = await read(id)
    expect(fresh).toEqual({
      ...{ id, object: 'import', format: null, status: 'running', dryRun: false, ...nothing },
      ...{ ignoredColumns: [], errors: [], createdAt: fresh.createdAt, updatedAt: fresh.createdAt, finishedAt: null },
    })
    const report = { id, ...some, format: 'retail', ignored_columns: ['Colour'], errors: [problem] }
    await service.call('imports.progress', report, { caller })
    const half = await read(id)
    expect(half).toMatchObject({ ...some, format: 'retail', ignoredColumns: ['Colour'], errors: [problem] })
    const finish = { id, ...some, processed: 10, status: 'completed' as const }
    const finished = JSON.parse(String(await service.call('imports.finish', finish, { caller }))).data
    expect(finished).toEqual({
      ...{ ...half, processed: 10, status: 'completed' },
      ...{ updatedAt: finished.finishedAt, finishedAt: expect.stringMatching(/Z$/) },
    })
    expect(await read(id)).toEqual(finished)
  })

  test('finishing again answers the same; anything else is a conflict', async () => {
    const id = await begin()
    const finish = { id, ...some, status: 'failed' as const }
    const first = await service.call('imports.finish', finish, { caller })
    expect(String(await service.call('imports.finish', finish, { caller }))).toBe(String(first))
    const conflict = { type: 'conflict' }
    await expect(service.call('imports.progress', { id, ...some }, { caller })).rejects.toMatchObject(conflict)
    const completed = { ...finish, status: 'completed' as const }
    await expect(service.call('imports.finish', completed, { caller })).rejects.toMatchObject(conflict)
  })

  test('silent for a minute it is shown as interrupted; when it speaks again it runs', async () => {
    const id = await begin()
    await service.db.rows("update imports set updated_at = updated_at - interval '30 seconds' where id = $1", [id])
    expect((await read(id)).status).toBe('running')
    await service.db.rows("update imports set updated_at = updated_at - interval '31 seconds' where id = $1", [id])
    expect((await read(id)).status).toBe('interrupted')
    const list = JSON.parse(String(await service.call('imports.list', {}, { caller })))
    expect(list.data[0].status).toBe('interrupted')
    await service.call('imports.progress', { id, ...some }, { caller })
    expect((await read(id)).status).toBe('running')
  })

  test('of more than a hundred problems the first hundred are kept, errors before warnings', async () => {
    const id = await begin()
    const warnings = Array.from({ length: 100 }, (_, line) => ({ ...problem, line, severity: 'warning' as const }))
    const errors = [...warnings, ...Array.from({ length: 60 }, () => problem)]
    await service.call('imports.progress', { id, ...some, errors }, { caller })
    const kept: ImportProblem[] = (await read(id)).errors
    expect(kept).toHaveLength(100)
    expect(kept.filter(({ severity }) => severity === 'error')).toHaveLength(60)
    expect(kept.at(-1)?.line).toBe(39)
  })

  test('another shop does not see it, nor can it report', async () => {
    const id = await begin()
    const stranger = makeCaller()
    await expect(read(id, stranger)).rejects.toMatchObject({ type: 'not_found' })
    await expect(read('x')).rejects.toMatchObject({ type: 'not_found' })
    const report = service.call('imports.progress', { id, ...some }, { caller: stranger })
    await expect(report).rejects.toMatchObject({ type: 'not_found' })
  })

  test('the list is newest first and paged', async () => {
    const made = [await begin(), await begin(), await begin()].toReversed()
    const first = JSON.parse(String(await service.call('imports.list', { limit: 2 }, { caller })))
    const next = { limit: 2, cursor: first.next_cursor }
    const second = JSON.parse(String(await service.call('imports.list', next, { caller })))
    const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
    expect(ids.toSorted()).toEqual(made.toSorted())
    expect([first.has_more, second.has_more]).toEqual([true, false])
  })
})
