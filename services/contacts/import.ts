// Owns a batch of an import: each contact in a transaction of its own, one result for each, in the order of the batch.
// import-formats.md, section 1: one bad object does not stop the others; importing the same file twice changes nothing.
import { createHash } from 'node:crypto'
import type { ActionParams } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import { importedContact, importKey } from '#contracts/contact-input'
import { refusalCode } from '#contracts/errors'
import type { ImportResult } from '#contracts/import-result'
import type { Database } from '#postgres/connect'
import { transactor } from '#postgres/rehearse'
import { openParams } from '#schema/open'
import { fromFile } from './given.ts'
import { listReferences } from './queries.ts'
import { importContact, transactOnPerson } from './save.ts'

type Batch = ActionParams<'contacts.import'>
type Item = Batch['contacts'][number]
type Known = { object_id: string; digest: Buffer }

export async function importBatch(db: Database, { source, dry_run, contacts }: Batch, caller: Caller, now: Date) {
  const rehearsed = { transaction: transactor(db, dry_run) }
  const keys = contacts.map(({ key }) => key)
  const rows = await listReferences(db, caller.shopId, source, keys)
  const known = new Map<string, Known>(rows.map((row) => [row.key, row]))
  const results: ImportResult[] = []
  for (const item of contacts) {
    const digest = createHash('sha256')
      .update(JSON.stringify(item.contact) ?? '')
      .digest()
    const before = known.get(item.key)
    if (before !== undefined && (item.only_create || before.digest.equals(digest))) {
      results.push({ key: item.key, outcome: 'unchanged', id: before.object_id, code: null, message: null })
    } else {
      results.push(await importOne(rehearsed, source, item, digest, caller, now))
    }
  }
  return { results }
}

async function importOne(
  db: Pick<Database, 'transaction'>,
  source: string,
  { key, only_create, contact }: Item,
  digest: Buffer,
  { shopId, country }: Caller,
  now: Date,
): Promise<ImportResult> {
  try {
    openParams(importKey, key)
    const { given, dropped } = fromFile(openParams(importedContact, contact), country, now)
    const person = { source, key, only_create, given, digest }
    const { outcome, id, taken } = await transactOnPerson(db, (tx) => importContact(tx, shopId, person, now))
    const warning = taken === null ? dropped : { code: `${taken}_taken`, message: `The ${taken} is another contact's.` }
    return { key, outcome, id, code: warning?.code ?? null, message: warning?.message ?? null }
  } catch (error) {
    const code = refusalCode(error)
    if (code === null || !(error instanceof Error)) throw error
    return { key, outcome: 'failed', id: null, code, message: error.message }
  }
}
