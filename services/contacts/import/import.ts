// The actions of contact imports. The contacts of a batch are written in one transaction, or each in its own where the database refuses
// that; each has one result.
// docs/spec/imports.md#identity-and-re-import, docs/spec/imports.md#dry-run-and-report
import { hash } from 'node:crypto'
import type { ActionHandlers } from '#runtime/service'
import { inTurn, openTurns } from '#runtime/turns'
import type { ActionParams } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import { importedContact } from '#contracts/input/contact'
import { importKey } from '#contracts/input/fields'
import type { ImportResult } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import type { Database } from '#postgres/connect'
import { changeOnKey, earlierResult, listReferences, type Reference } from '#postgres/import/external-reference'
import { importTogether } from '#postgres/import/import-batch'
import { openStatistics, type Statistics } from '#postgres/import/statistics'
import { changesOf } from '#postgres/dry-run'
import { openParams } from '#schema/open'
import { fromFile } from '../save/contact-fields.ts'
import { changeOnPerson, type ImportedContact, importContact } from '../save/save.ts'
import { importExportedContacts, resolveContacts } from './exported-contacts.ts'
import { refused, writeContacts } from './write-contacts.ts'

type Batch = ActionParams<'contacts.import'>
/** `index` is the contact's place in its batch. */
type Task = { index: number; contact: ImportedContact }

export function importActions(db: Database): ActionHandlers {
  const turns = openTurns(limits.importBatchesAtOnce)
  const statistics = openStatistics(db, ['contacts', 'contact_tags', 'external_references'])
  return {
    async 'contacts.known'({ params: { source, keys }, locals: { caller } }) {
      const rows = await listReferences(db, caller.shopId, { source, kind: 'contact', keys })
      return { ids: Object.fromEntries(rows.map(({ key, object_id }) => [key, object_id])) }
    },
    'contacts.import_objects': ({ params, locals: { caller, now } }) => importExportedContacts(db, params, caller, now),
    'contacts.resolve': ({ params: { ids }, locals: { caller } }) => resolveContacts(db, caller.shopId, ids),
    async 'contacts.import_unchanged'({ params: { source, batch, contacts }, locals: { caller } }) {
      const references = await referencesOf(db, caller.shopId, source, contacts)
      return { results: contacts.flatMap((item) => decided(references.get(item.key), batch, item) ?? []) }
    },
    'contacts.import': ({ params, locals: { caller, now } }) =>
      inTurn(turns, 'import', () => importBatch(db, statistics, params, caller, now)),
  }
}

async function importBatch(
  db: Database,
  statistics: Statistics,
  { source, batch, dry_run, contacts }: Batch,
  { shopId, country }: Caller,
  now: Date,
): Promise<{ results: ImportResult[] }> {
  const changes = changesOf(db, dry_run)
  const references = await referencesOf(db, shopId, source, contacts)
  const tasks: Task[] = []
  const results = contacts.map((item, index): ImportResult | null => {
    const fingerprint = item.fingerprint ?? hash('sha256', JSON.stringify(item.contact) ?? '', 'hex')
    const known = decided(references.get(item.key), batch, { ...item, fingerprint })
    if (known !== null) return known
    try {
      openParams(importKey, item.key)
      const opened = fromFile(openParams(importedContact, item.contact), country, now)
      const { key, only_create } = item
      const digest = Buffer.from(fingerprint, 'hex')
      tasks.push({ index, contact: { source, batch, digest, key, only_create, ...opened } })
      return null
    } catch (error) {
      return refused(item.key, error)
    }
  })
  const facts = { shopId, source, batch }
  const together = (some: Task[]) => {
    const all = some.map(({ contact }) => contact)
    return changeOnKey(changes, shopId, (tx, stamp) => writeContacts(tx, facts, all, stamp))
  }
  const written = await importTogether(tasks, together, ({ contact }) => importAlone(changes, shopId, contact))
  for (const [at, { index }] of tasks.entries()) results[index] = written[at] ?? null
  await statistics.grew(dry_run ? 0 : tasks.length)
  return { results: results as ImportResult[] }
}

async function referencesOf(db: Database, shopId: string, source: string, items: { key: string }[]) {
  const keys = items.map(({ key }) => key)
  const rows = await listReferences(db, shopId, { source, kind: 'contact', keys })
  return new Map<string, Reference>(rows.map((row) => [row.key, row]))
}

/** The result where nothing has to be written: of the same batch before, or because nothing has changed; else null. */
function decided(
  before: Reference | undefined,
  batch: string | null,
  { key, only_create, fingerprint }: { key: string; only_create: boolean; fingerprint: string },
): ImportResult | null {
  const told = earlierResult(before, batch)
  if (told !== null || before === undefined) return told
  if (!only_create && before.digest?.toString('hex') !== fingerprint) return null
  return { key, outcome: 'unchanged', id: before.object_id, code: null, message: null }
}

async function importAlone(db: Pick<Database, 'change'>, shopId: string, contact: ImportedContact) {
  try {
    return await changeOnPerson(db, shopId, (tx, stamp) => importContact(tx, shopId, contact, stamp))
  } catch (error) {
    return refused(contact.key, error)
  }
}
