// `storefront import` in the background: what Ctrl-C does, and the file of all problems. docs/spec/command-line.md#import
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import type { ImportRecord } from '#contracts/objects/import-record'
import { wholeList } from '#testing/admin-requests'
import { openClient } from '#testing/database'
import { duringTests } from '#testing/during-tests'
import { runCommand, startCommand } from '#testing/product/command-line'
import { openStack } from '#testing/product/stack'
import { until } from '#testing/until'

const stack = duringTests(() => openStack({ form: 'one-process' }))
const folder = mkdtempSync(join(tmpdir(), 'storefront-import-command-'))
afterAll(() => rmSync(folder, { recursive: true }))
let shop: string
beforeEach(async () => {
  shop = (await stack.makeShop()).handle
})

const header = 'Handle,Title,Variant Price'
const fileOf = (name: string, rows: string[]) => {
  const path = join(folder, name)
  writeFileSync(path, `${header}\n${rows.join('\n')}\n`)
  return path
}
const env = () => ({
  ADMIN_TOKEN: 'an-operator-token-for-tests-only',
  ADMIN_PORT: String(stack.adminPorts[0]),
  DATA_DIR: folder,
})
const newest = async () => (await wholeList<ImportRecord>(stack, shop, 'imports'))[0]

test('Ctrl-C cancels the import, and the report says what it did until then', async () => {
  const file = fileOf(
    'many.csv',
    Array.from({ length: 2_000 }, (_, n) => `p-${n},P ${n},1.00`),
  )
  const database = await openClient(stack.databaseUrl)
  await database.query('begin; lock table catalog.products in share mode')
  const command = startCommand(['import', file, '--shop', shop, '--json'], env())
  await until(async () => (await newest())?.phase === 'writing')
  command.child.kill('SIGINT')
  await until(async () => (await newest())?.phase === 'cancelling')
  for (let reports = 0; reports < 2; reports += 1) {
    const last = (await newest())?.updatedAt
    await until(async () => (await newest())?.updatedAt !== last) // The worker has seen the cancellation.
  }
  await database.close() // Ends its transaction too.
  const { status, out, err } = await command.ended
  expect(status).toBe(1)
  expect(err).toMatch(/^Cancelling the import\. Press Ctrl-C again to leave before its report\.\n/)
  expect(err).toMatch(/The import was cancelled: what it had written stays\.\n$/)
  const done = JSON.parse(out) as ImportRecord
  expect(done.status).toBe('cancelled')
  expect(await wholeList(stack, shop, 'products')).toHaveLength(done.created)
}, 60_000)

test('Ctrl-C twice leaves before the report of the cancelled import', async () => {
  const file = fileOf('few.csv', ['a,A,1.00'])
  const database = await openClient(stack.databaseUrl)
  await database.query('begin; lock table catalog.products in share mode')
  const command = startCommand(['import', file, '--shop', shop], env())
  await until(async () => (await newest())?.phase === 'writing')
  command.child.kill('SIGINT')
  await until(() => command.err.includes('Cancelling'))
  command.child.kill('SIGINT')
  const { status, err } = await command.ended
  expect([status, err]).toEqual([1, expect.stringMatching(/its report: imports show [0-9a-f-]{36}\n$/)])
  await database.close()
}, 60_000)

test('--errors saves every problem, and imports errors shows them later', async () => {
  const file = fileOf(
    'bad.csv',
    Array.from({ length: 30 }, (_, n) => `p-${n},P ${n},dear`),
  )
  const errors = join(folder, 'problems.csv')
  const { status, err } = await runCommand(['import', file, '--shop', shop, '--errors', errors], env())
  expect([status, err]).toEqual([1, expect.stringContaining(`30 problems are in ${errors}.`)])
  const saved = readFileSync(errors, 'utf8')
  expect(saved.split('\r\n')).toHaveLength(32)
  expect(saved).toMatch(/^line,object,code,column,value,advice\r\n2,p-0,money,Variant Price,dear,/)
  const shown = await runCommand(['imports', 'errors', 'latest', '--shop', shop], env())
  expect(shown).toEqual({ status: 0, out: saved, err: '' })
})
