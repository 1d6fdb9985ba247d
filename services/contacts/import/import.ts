// The actions of contact imports. Each contact of a batch is written in a transaction of its own, and has one result.
// docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#dry-run-and-report
import { createHash } from 'node:crypto'
import type { ActionHandlers } from '#runtime/service'
import type { ActionParams } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import { importedContact } from '#contracts/input/contact'
import { importKey } from '#contracts/input/fields'
import { refusalCode } from '#contracts/errors'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Database } from '#postgres/connect'
import { listReferences, type Reference, earlierResult } from '#postgres/external-reference'
import { changesOf } from '#postgres/dry-run'
import { openParams } from '#schema/open'
import { fromFile } from '../save/contact-fields.ts'
import { changeOnPerson, importContact } from '../save/save.ts'
import { importExportedContacts, resolveContacts } from './exported-contacts.ts'

type Batch = ActionParams<'contacts.import'>
type Item = Batch['contacts'][number]

export function importActions(db: Database): ActionHandlers {
  return {
    async 'contacts.known'({ params: { source, keys }, locals: { caller } }) {
      const rows = await listReferences(db, caller.shopId, { source, kind: 'contact', keys })
      return { ids: Object.fromEntries(rows.map(({ key, object_id }) => [key, object_id])) }
    },
    'contacts.import_objects': ({ params, locals: { caller, now } }) => importExportedContacts(db, params, caller, now),
    'contacts.resolve': ({ params: { ids }, locals: { caller } }) => resolveContacts(db, caller.shopId, ids),
    'contacts.import': ({ params, locals: { caller, now } }) => importBatch(db, params, caller, now),
  }
}

async function importBatch(
  db: Database,
  { source, batch, dry_run, contacts }: Batch,
  caller: Caller,
  now: Date,
): Promise<{ results: ImportResult[] }> {
  const changes = changesOf(db, dry_run)
  const keys = contacts.map(({ key }) => key)
  const rows = await listReferences(db, caller.shopId, { source, kind: 'contact', keys })
  const references = new Map<string, Reference>(rows.map((row) => [row.key, row]))
  const results: ImportResult[] = []
  for (const item of contacts) {
    const digest = createHash('sha256')
      .update(JSON.stringify(item.contact) ?? '')
      .digest()
    const before = references.get(item.key)
    const told = earlierResult(before, batch)
    if (told !== null) results.push(told)
    else if (before !== undefined && (item.only_create || before.digest?.equals(digest) === true)) {
      results.push({ key: item.key, outcome: 'unchanged', id: before.object_id, code: null, message: null })
    } else {
      results.push(await importOne(changes, { source, batch, digest }, item, caller, now))
    }
  }
  return { results }
}

async function importOne(
  db: Pick<Database, 'change'>,
  batchFacts: { source: string; batch: string | null; digest: Buffer },
  { key, only_create, contact }: Item,
  { shopId, country }: Caller,
  now: Date,
): Promise<ImportResult> {
  try {
    openParams(importKey, key)
    const { fields, dropped } = fromFile(openParams(importedContact, contact), country, now)
    const imported = { ...batchFacts, key, only_create, fields, dropped }
    return await changeOnPerson(db, shopId, (tx, stamp) => importContact(tx, shopId, imported, stamp))
  } catch (error) {
    const code = refusalCode(error)
    if (code === null || !(error instanceof Error)) throw error
    return { key, outcome: 'failed', id: null, code, message: error.message }
  }
}
