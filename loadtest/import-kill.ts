// Owns killing processes in the middle of imports, and saying whether the same file sent again ends where an import that
// nobody disturbed ended. import-formats.md, section 1, "Identity and re-import". Ends with 1 on any difference.
// node loadtest/import-kill.ts [--mb 1] [--kills 3] [--format retail]
//
// Of every format one shop takes the file in peace. In another the importing process is killed with -9 on the way, started
// again, and the file sent again, as often as asked; in a third the service that owns the objects is killed instead, which
// the import outlives: it must count what the undisturbed one counted.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { ImportRecord } from '#contracts/objects/import-record'
import { makeShop, sendFile } from './import-calls.ts'
import { currencyOf, writeLargeFile } from './import-files.ts'
import { openHouse } from './import-house.ts'
import { type Contents, contentsOf, differences, keysIn } from './kill-import.ts'
import { wholeNumber } from './order-database.ts'

const owners = {
  'shopify-products': 'catalog',
  'woocommerce-products': 'catalog',
  'spree-products': 'catalog',
  'shopify-customers': 'contacts',
  'spree-customers': 'contacts',
  'shopify-orders': 'orders',
  retail: 'orders',
}
const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '1' },
    kills: { type: 'string', default: '3' },
    format: { type: 'string' },
  },
})
const bytes = Number(values.mb) * 1_048_576
const kills = wholeNumber('kills', values.kills)
const formats = Object.entries(owners).filter(([format]) => values.format === undefined || values.format === format)
if (formats.length === 0) throw new Error(`--format must be one of ${Object.keys(owners).join(', ')}.`)

const folder = mkdtempSync(join(tmpdir(), 'storefront-killed-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 50 }))
const house = await openHouse(folder)
const db = new pg.Client({ connectionString: house.databaseUrl })
await db.connect()
const wrong: string[] = []
try {
  for (const [format, owner] of formats) await tryFormat(format, owner)
} finally {
  await db.end()
  await house.stop()
}
print(wrong.length === 0 ? '\nEvery import ended where the undisturbed one did.' : `\n${wrong.join('\n')}`)
process.exitCode = wrong.length === 0 ? 0 : 1

async function tryFormat(format: string, owner: string): Promise<void> {
  const path = join(folder, `${format}.csv`)
  const { records } = await writeLargeFile(path, format, bytes)
  if (records === 0) throw new Error(`--mb ${values.mb} is less than the sample of ${format} has.`)
  print(`\n${format}: ${records} records, ${(statSync(path).size / 1_048_576).toFixed(1)} MB`)
  const peace = await makeShop(house, `${format}-peace`, currencyOf(format))
  const done = await sendFile(house, peace, path)
  const wanted = await settled(peace)
  const keys = await keysIn(db, peace)
  print(`  in peace                 ${accountOf(done)}; ${countsOf(wanted)}`)

  const torn = await makeShop(house, `${format}-torn`, currencyOf(format))
  for (let kill = 1; kill <= kills; kill += 1) {
    const broken = sendFile(house, torn, path).then(accountOf, () => 'no answer')
    await until(torn, (keys * kill) / (kills + 1))
    await house.kill('admin-gateway')
    const [answer, left] = [await broken, await keysIn(db, torn)]
    print(`  importer killed          ${answer}; ${left} of ${keys} keys were written`)
    await house.start('admin-gateway')
  }
  print(`  sent again               ${accountOf(await sendFile(house, torn, path))}`)
  await judge(format, 'killed importer', torn, wanted)

  const outlived = await makeShop(house, `${format}-outlived`, currencyOf(format))
  const running = sendFile(house, outlived, path)
  for (let kill = 1; kill <= kills; kill += 1) {
    await until(outlived, (keys * kill) / (kills + 1))
    await house.kill(owner)
    await house.start(owner)
  }
  const account = accountOf(await running)
  print(`  ${owner} killed ${kills} times`.padEnd(27) + account)
  if (account !== accountOf(done)) wrong.push(`${format}: with ${owner} killed the import counted otherwise`)
  await judge(format, `killed ${owner}`, outlived, wanted)
}

async function judge(format: string, what: string, shop: string, wanted: Contents): Promise<void> {
  const found = differences(await settled(shop), wanted)
  print(`  ${found.length === 0 ? 'the same' : 'NOT THE SAME'}`)
  wrong.push(...found.map((difference) => `${format}, ${what}: ${difference.slice(0, 400)}`))
}

/** What is in the shop, without the instants of the imports themselves. */
async function settled(shop: string): Promise<Contents> {
  const { counts, documents } = await contentsOf(db, shop)
  const timeless = (text: string) => (text.startsWith('order ') ? text : text.replace(/,"createdAt":"[^"]*"/, ''))
  return { counts, documents: documents.map(timeless).toSorted() }
}

async function until(shop: string, keys: number): Promise<void> {
  while ((await keysIn(db, shop)) < keys) await pause(20)
}

function accountOf({ status, created, updated, unchanged, skipped, failed }: ImportRecord): string {
  if (status !== 'completed' || failed > 0) wrong.push(`an import ended ${status}, ${failed} failed`)
  return `${status}: created ${created}, updated ${updated}, unchanged ${unchanged}, skipped ${skipped}, failed ${failed}`
}

function countsOf({ counts }: Contents): string {
  const present = Object.entries(counts).filter(([, count]) => count > 0)
  return present.map(([kind, count]) => `${count} ${kind}`).join(', ')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
