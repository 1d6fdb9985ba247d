// Files that a thread reads: they are read as in the event loop, and a thread that fails or is left ends nothing else.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { londonShop, withFile } from '#testing/files/import-text'
import { openReport } from '../writer/report.ts'
import { FileProblem } from './csv.ts'
import { openFile } from './read-file.ts'
import type { SealedItem } from './sealed-item.ts'

const data = join(import.meta.dirname, '../../../../testing/data')
const files = readdirSync(data).filter((name) => name.endsWith('.csv') && !name.includes('partial')) // It lacks a column.
const header = 'Handle,Title,Variant Price'

async function read(path: string, smallBytes: number) {
  const file = await openFile(path, null, { ...londonShop, createContacts: true }, { smallBytes })
  const report = openReport()
  const items: SealedItem[] = []
  for await (const item of file.items(report)) items.push(item)
  await file.close()
  return {
    format: file.format.format,
    ignoredColumns: file.ignoredColumns,
    items,
    report: { ...report.counts },
    problems: report.problems,
  }
}

describe('a thread', () => {
  test.each(files)('reads %s as the event loop does', async (name) => {
    const [inThread, here] = [await read(join(data, name), 0), await read(join(data, name), Infinity)]
    expect(here.items.length + here.problems.length).toBeGreaterThan(0)
    expect(inThread).toEqual(here)
  })

  test('counts what was left out, and tells every problem', async () => {
    const rows = Array.from({ length: 2_000 }, (_, n) => (n % 2 === 0 ? `p-${n},P,1.00` : `p-${n},P,one pound`))
    await withFile(`${header}\n${rows.join('\n')}\n`, async (path) => {
      const [inThread, here] = [await read(path, 0), await read(path, Infinity)]
      expect(inThread).toEqual(here)
      expect(inThread.report).toMatchObject({ records: 2_000, failed: 1_000, errors: 1_000 })
    })
  })

  test('fails a file as the event loop does', async () => {
    const problem = withFile(`${header}\na,"b,1\n`, (path) => openFile(path, null, londonShop, { smallBytes: 0 }))
    await expect(problem).rejects.toThrow(FileProblem)
    await expect(problem).rejects.toMatchObject({ code: 'quoting', message: expect.stringContaining('line 2') })
  })

  test('ends when its reader leaves half-way', async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => `p-${n},P,1.00`)
    await withFile(`${header}\n${rows.join('\n')}\n`, async (path) => {
      const file = await openFile(path, null, londonShop, { smallBytes: 0 })
      for await (const item of file.items(openReport())) {
        expect(item.key).toBe('p-0')
        break
      }
      await file.close()
    })
  })

  test('that cannot read the file any more ends the import with its error', async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => `p-${n},P,1.00`)
    const file = await withFile(`${header}\n${rows.join('\n')}\n`, (path) =>
      openFile(path, null, londonShop, { smallBytes: 0 }),
    )
    await expect(file.items(openReport())[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ENOENT' })
    await file.close()
  })
})
