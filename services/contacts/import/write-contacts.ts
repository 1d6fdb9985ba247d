// Writes the contacts of a batch in one transaction with one statement for each table. The rows of everybody whom the batch names are
// locked and read first; then each contact is decided in the order of the batch, as if the earlier ones were stored already.
// docs/spec/imports.md#identity-and-re-import
import { randomUUID } from 'node:crypto'
import { refusalCode } from '#contracts/errors'
import type { ImportResult } from '#contracts/actions/import-result'
import type { Sql } from '#postgres/connect'
import { earlierResult, lockReferences, type Reference, saveReferences } from '#postgres/import/external-reference'
import { Overtaken } from '#postgres/import/import-batch'
import { insertConsent } from '../opt-in/queries.ts'
import { fillGaps, followFile, newContact } from '../save/change.ts'
import { consentRecord, isChanged, type ImportedContact, without, withoutTaken } from '../save/save.ts'
import type { ContactRow } from '../tables.ts'
import { countAllReferences, insertContacts, insertTagsOfAll, lockPeople, updateContacts } from './queries.ts'

export type BatchFacts = { shopId: string; source: string; batch: string | null }
type Known = Pick<Reference, 'key' | 'object_id' | 'digest'> & {
  stored: Reference | null
  /** Set where this batch wrote the key. */
  written: ImportResult | null
}
/** `before`: as it is stored, null for a new one; `row`: after the batch. */
type Person = { before: ContactRow | null; row: ContactRow }

/** Returns the results in the order of the items. Throws `Overtaken` where another save took an email or phone in between. */
export async function writeContacts(
  tx: Sql,
  facts: BatchFacts,
  items: ImportedContact[],
  now: Date,
): Promise<ImportResult[]> {
  const people = await openPeople(tx, facts, items)
  const results = items.map((item) => {
    try {
      return importInto(people, facts, item, now)
    } catch (error) {
      return refused(item.key, error)
    }
  })
  await save(tx, facts, people, now)
  return results
}

/** The result of a contact that is refused. Throws any other error. */
export function refused(key: string, error: unknown): ImportResult {
  const code = refusalCode(error)
  if (code === null || !(error instanceof Error)) throw error
  return { key, outcome: 'failed', id: null, code, message: error.message }
}

type People = Awaited<ReturnType<typeof openPeople>>

async function openPeople(tx: Sql, { shopId, source }: BatchFacts, items: ImportedContact[]) {
  const keys = items.map(({ key }) => key)
  const references = await lockReferences(tx, shopId, { source, kind: 'contact', keys })
  const ids = references.map(({ object_id }) => object_id)
  const emails = items.flatMap(({ fields }) => fields.email_key ?? [])
  const phones = items.flatMap(({ fields }) => fields.phone ?? [])
  const rows = await lockPeople(tx, shopId, { emails, phones, ids })
  const counts = ids.length === 0 ? [] : await countAllReferences(tx, shopId, ids)
  return {
    known: new Map(references.map((stored): [string, Known] => [stored.key, { ...stored, stored, written: null }])),
    keysOf: new Map(counts.map(({ object_id, count }) => [object_id, count])),
    byId: new Map(rows.map((row): [string, Person] => [row.id, { before: row, row }])),
    byEmail: new Map(rows.flatMap((row) => (row.email_key === null ? [] : [[row.email_key, row.id]]))),
    byPhone: new Map(rows.flatMap((row) => (row.phone === null ? [] : [[row.phone, row.id]]))),
  }
}

function importInto(people: People, { shopId, batch }: BatchFacts, item: ImportedContact, now: Date): ImportResult {
  const { key, fields, digest, dropped } = item
  const known = people.known.get(key)
  const told = known?.written === null ? earlierResult(known.stored, batch) : null
  if (told !== null) return told
  const warning = { code: dropped?.code ?? null, message: dropped?.message ?? null }
  if (known !== undefined && (item.only_create || known.digest?.equals(digest) === true)) {
    return { key, outcome: 'unchanged', id: known.object_id, ...warning }
  }
  const rowOf = (id: string | undefined) => (id === undefined ? null : (people.byId.get(id)?.row ?? null))
  const byEmail = fields.email_key === null ? null : rowOf(people.byEmail.get(fields.email_key))
  const byPhone = fields.phone === null ? null : rowOf(people.byPhone.get(fields.phone))
  const before = known === undefined ? (byEmail ?? byPhone) : rowOf(known.object_id)
  const free = withoutTaken(fields, before, { byEmail, byPhone })
  const change = known !== undefined && people.keysOf.get(known.object_id) === 1 ? followFile : fillGaps
  const created = () => newContact(randomUUID(), shopId, free.fields, 'import', now)
  const after = before === null ? created() : item.only_create ? before : change(before, free.fields, now)
  put(people, after)
  const isSame = before !== null && before.document === after.document
  const result = {
    key,
    outcome: before === null ? ('created' as const) : isSame ? ('unchanged' as const) : ('updated' as const),
    id: after.id,
    ...(free.taken === null
      ? warning
      : { code: `${free.taken}_taken`, message: `The ${free.taken} is another contact's.` }),
  }
  people.known.set(key, { key, object_id: after.id, digest, stored: known?.stored ?? null, written: result })
  if (known === undefined) people.keysOf.set(after.id, (people.keysOf.get(after.id) ?? 0) + 1)
  return result
}

function put({ byId, byEmail, byPhone }: People, after: ContactRow): void {
  const { before = null, row = null } = byId.get(after.id) ?? {}
  byId.set(after.id, { before, row: after })
  if (row !== null && row.email_key !== after.email_key) byEmail.delete(row.email_key ?? '')
  if (row !== null && row.phone !== after.phone) byPhone.delete(row.phone ?? '')
  if (after.email_key !== null) byEmail.set(after.email_key, after.id)
  if (after.phone !== null) byPhone.set(after.phone, after.id)
}

async function save(tx: Sql, { shopId, source, batch }: BatchFacts, people: People, now: Date): Promise<void> {
  const all = [...people.byId.values()]
  const changed = all.filter(({ before, row }) => before !== null && isChanged(before, row)).map(({ row }) => row)
  const created = all.filter(({ before }) => before === null).map(({ row }) => row)
  if (changed.length > 0) await updateContacts(tx, shopId, changed)
  if (created.length > 0 && (await insertContacts(tx, shopId, created)) < created.length) throw new Overtaken()
  // Tags of files are added only.
  const tags = all.flatMap(({ before, row }) => {
    const added = without(row.tags, before?.tags ?? [])
    return added.map((tag) => ({ contact_id: row.id, created_at: row.created_at, tag }))
  })
  if (tags.length > 0) await insertTagsOfAll(tx, shopId, tags)
  for (const { before, row } of all) {
    const consent = consentRecord(before, row, now)
    if (consent !== null) await insertConsent(tx, shopId, consent)
  }
  const writings = [...people.known.values()].flatMap(({ key, object_id, digest, stored, written }) => {
    if (written === null || digest === null) return []
    return [{ key, objectId: object_id, digest, told: written, isNew: stored === null }]
  })
  await saveReferences(tx, shopId, { source, kind: 'contact', batch }, writings)
}
