// Owns trying every file of a folder: dry, in earnest and again, each in a fresh shop; and what became of it beside what the
// file comes to by itself. Ends with 1 where a dry run foretold something else, a second run changed something, or a sum
// differs. import-formats.md, section 1, "Dry run and report", "Identity and re-import".
// node loadtest/import-folder.ts FOLDER
//
// Days of retail are taken twice: each alone, and all in one shop one after the other, because their cancellations belong to
// orders of other days.
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import pg from 'pg'
import type { ImportRecord } from '#contracts/objects/import-record'
import { makeShop, sendFile } from './import-calls.ts'
import { openHouse } from './import-house.ts'
import { type Sums, sumsOfFile, sumsOfShop } from './import-sums.ts'

const [given] = process.argv.slice(2)
if (given === undefined) throw new Error('node loadtest/import-folder.ts FOLDER')
const files = globSync('**/*.csv', { cwd: given })
  .toSorted()
  .map((name) => join(given, name))
const folder = mkdtempSync(join(tmpdir(), 'storefront-folder-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 50 }))
const house = await openHouse(folder)
const db = new pg.Client({ connectionString: house.databaseUrl })
await db.connect()
const wrong: string[] = []
const days: string[] = []
let shops = 0
try {
  for (const file of files) await tryFile(file)
  if (days.length > 1) await tryDays()
} finally {
  await db.end()
  await house.stop()
}
print(wrong.length === 0 ? '\nNothing differs.' : `\n${wrong.join('\n')}`)
process.exitCode = wrong.length === 0 ? 0 : 1

async function tryFile(path: string): Promise<void> {
  const first = await runs(path, await freshShop('GBP'))
  if (first.real.format === 'retail') days.push(path)
  // Amounts of this format come in several currencies; a shop takes those of its own, and one in pounds finds none.
  if (first.real.format !== 'spree-products') return
  for (const currency of ['USD', 'EUR']) await runs(path, await freshShop(currency), currency)
}

async function tryDays(): Promise<void> {
  print('\nThe days of retail in one shop, one after the other')
  const shop = await freshShop('GBP')
  const wanted: Sums = {}
  for (const path of days) {
    await runs(path, shop, 'GBP', false)
    const { products: _products, contacts: _contacts, ...sums } = sumsOfFile(path, 'retail', 'GBP') // Days share those.
    for (const [name, sum] of Object.entries(sums)) wanted[name] = (wanted[name] ?? 0) + sum
  }
  await compare('all days', shop, wanted)
}

/** Dry, in earnest and again; says what differs. */
async function runs(path: string, shop: string, currency = 'GBP', isFresh = true) {
  const dry = await sendFile(house, shop, path, '?dry_run=true')
  const real = await sendFile(house, shop, path)
  const again = await sendFile(house, shop, path)
  print(`\n${basename(path)}: ${real.format ?? 'no format'}${currency === 'GBP' ? '' : `, shop in ${currency}`}`)
  print(`  read ${real.processed}; dry   ${accountOf(dry)}`)
  print(`  read ${real.processed}; real  ${accountOf(real)}`)
  print(`  read ${again.processed}; again ${accountOf(again)}`)
  const [refusal] = real.errors.filter(({ line }) => line === null)
  if (refusal !== undefined) print(`  refused: ${refusal.code}, ${refusal.message}`)
  if (told(dry) !== told(real)) wrong.push(`${path}: the dry run foretold something else`)
  if (again.created + again.updated > 0) wrong.push(`${path}: the second run changed something`)
  if (isFresh && real.unchanged > 0) wrong.push(`${path}: ${real.unchanged} unchanged in a fresh shop`)
  if (isFresh && real.format !== null && real.created > 0) {
    await compare(path, shop, sumsOfFile(path, real.format, currency))
  }
  return { dry, real, again }
}

async function compare(what: string, shop: string, wanted: Sums): Promise<void> {
  const found = await sumsOfShop(db, shop, wanted)
  print(`  file      ${words(wanted)}`)
  print(`  database  ${words(found)}`)
  if (words(wanted) !== words(found)) wrong.push(`${what}: the sums differ`)
}

async function freshShop(currency: string): Promise<string> {
  shops += 1
  return makeShop(house, `folder-${shops}`, currency)
}

/** All that a report says, but for which import it is and when. */
function told(done: ImportRecord): string {
  const { id: _id, dryRun: _dryRun, createdAt: _begun, updatedAt: _told, finishedAt: _finished, ...rest } = done
  return JSON.stringify(rest)
}

function accountOf(done: ImportRecord): string {
  const { status, created, updated, unchanged, skipped, failed, errors } = done
  const counts = `created ${created}, updated ${updated}, unchanged ${unchanged}, skipped ${skipped}, failed ${failed}`
  const count = (severity: string) => errors.filter((one) => one.severity === severity).length
  return `${status}: ${counts}; errors ${count('error')}, warnings ${count('warning')} (the first hundred)`
}

function words(sums: Sums): string {
  return Object.entries(sums)
    .map(([name, sum]) => `${name} ${sum}`)
    .join(', ')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
