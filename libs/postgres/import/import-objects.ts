// Imports batches of objects of our own exports, the same way in each service. docs/spec/imports.md#our-own-files
// An object of this shop is known by its id, one of another shop by the reference that its first import wrote. What an object would
// become is computed first without a lock; only where it differs from what is stored, it is computed again and written, each object
// in a transaction of its own. The reference of a written object keeps the batch and its result, so a batch that is sent again gets the
// same results.
import { createHash, randomUUID } from 'node:crypto'
import type { ImportOutcome, ImportResult, objectBatch } from '#contracts/actions/import-result'
import { refusalCode, refuse } from '#contracts/errors'
import type { z } from 'zod'
import { codeOf, type Database, type Sql } from '../connect.ts'
import { changesOf } from '../dry-run.ts'
import {
  changeOnKey,
  earlierResult,
  insertReference,
  listReferences,
  lockReference,
  type Reference,
  updateReference,
} from './external-reference.ts'

/** The source of the references to objects of our own exports. */
export const exportSource = 'storefront'

type Batch = z.output<z.ZodObject<typeof objectBatch>>
export type FileObject = Batch['objects'][number]
export type Warning = { code: string; message: string }
/** `isSame`: the object is stored like that already. `warnings`: what of the file was left out. */
export type Plan = { isSame: boolean; warnings: Warning[] }
/** `id` is that of the object, also of a new one; `told` the result of its last import. */
export type Facts = { id: string; now: Date; links: Record<string, string>; told: Reference['told'] }

export type ObjectImport<Stored, Planned extends Plan> = {
  kind: string
  /** The objects with these ids, by id. `isLocked`: for a change in this transaction. */
  load(sql: Sql, ids: string[], isLocked: boolean): Promise<Map<string, Stored>>
  /** What the object becomes; `before` null: a new one. Reads only. Throws refusals. */
  plan(sql: Sql, before: Stored | null, object: FileObject, facts: Facts): Promise<Planned>
  /** Writes the plan of an object that is not the same, and returns the id of the object. */
  write(tx: Sql, before: Stored | null, planned: Planned, facts: Facts): Promise<string>
}

/** A refusal with the code of the import's report. */
export function importProblem(code: string, message: string) {
  return refuse('invalid_request', message, { problem: code })
}

/** Returns the results in the order of the objects. Throws only on an outage. */
export async function importObjects<Stored, Planned extends Plan>(
  db: Sql & Pick<Database, 'change'>,
  shopId: string,
  { batch, dry_run, objects }: Batch,
  work: ObjectImport<Stored, Planned>,
  now: Date,
): Promise<{ results: ImportResult[] }> {
  const changes = changesOf(db, dry_run)
  const keys = objects.map(({ key }) => key)
  const rows = await listReferences(db, shopId, { source: exportSource, kind: work.kind, keys })
  const references = new Map(rows.map((row) => [row.key, row]))
  const ids = objects.flatMap(({ id, key }) => [id, references.get(key)?.object_id ?? null]).filter(isPresent)
  const stored = await work.load(db, [...new Set(ids)], false)
  const results: ImportResult[] = []
  for (const object of objects) {
    const reference = references.get(object.key) ?? null
    try {
      const same = await resultWhereSame(db, object, { reference, stored, now }, batch, work)
      results.push(same ?? (await write(changes, shopId, object, batch, work)))
    } catch (error) {
      results.push(failure(object.key, error))
    }
  }
  return { results }
}

type Seen<Stored> = { reference: Reference | null; stored: Map<string, Stored>; now: Date }

/** The result of an object that needs no change; null where it has to be written. */
async function resultWhereSame<Stored, Planned extends Plan>(
  db: Sql,
  object: FileObject,
  { reference, stored, now }: Seen<Stored>,
  batch: string | null,
  work: ObjectImport<Stored, Planned>,
): Promise<ImportResult | null> {
  const earlier = earlierResult(reference, batch)
  if (earlier !== null) return earlier
  const { id, before } = identify(object, reference, stored)
  if (before === null) return null
  const planned = await work.plan(db, before, object, { id, now, links: object.links, told: reference?.told ?? null })
  return planned.isSame ? resultOf(object.key, 'unchanged', id, planned) : null
}

function write<Stored, Planned extends Plan>(
  changes: Pick<Database, 'change'>,
  shopId: string,
  object: FileObject,
  batch: string | null,
  work: ObjectImport<Stored, Planned>,
): Promise<ImportResult> {
  const name = { source: exportSource, kind: work.kind, key: object.key }
  return changeOnKey(changes, shopId, async (tx, now) => {
    const reference = await lockReference(tx, shopId, name)
    const earlier = earlierResult(reference, batch)
    if (earlier !== null) return earlier
    const locked = await work.load(tx, [object.id, reference?.object_id ?? null].filter(isPresent), true)
    const { id, before } = identify(object, reference, locked)
    const facts = { id, now, links: object.links, told: reference?.told ?? null }
    const planned = await work.plan(tx, before, object, facts)
    if (planned.isSame) return resultOf(object.key, 'unchanged', id, planned)
    const writtenId = await work.write(tx, before, planned, facts)
    const result = resultOf(object.key, before === null ? 'created' : 'updated', writtenId, planned)
    const writing = { objectId: writtenId, digest: digestOf(object.fields), batch, told: result }
    await (reference === null ? insertReference : updateReference)(tx, shopId, name, writing)
    return result
  })
}

/** The object of this shop with that id, else the one that an earlier import made, else a new id. */
function identify<Stored>({ id }: FileObject, reference: Reference | null, stored: Map<string, Stored>) {
  for (const known of [id, reference?.object_id ?? null].filter(isPresent)) {
    const before = stored.get(known)
    if (before !== undefined) return { id: known, before }
  }
  return { id: randomUUID(), before: null }
}

function isPresent(id: string | null): id is string {
  return id !== null
}

function resultOf(key: string, outcome: ImportOutcome, id: string, { warnings: [first] }: Plan): ImportResult {
  return { key, outcome, id, code: first?.code ?? null, message: first?.message ?? null }
}

/** The result of an object that cannot be written. Throws errors that the object has not caused. */
function failure(key: string, error: unknown): ImportResult {
  const code = refusalCode(error)
  if (code !== null && code !== 'unavailable' && error instanceof Error) {
    const problem = 'data' in error ? (error.data as { problem?: string } | null)?.problem : undefined
    return { key, outcome: 'failed', id: null, code: problem ?? code, message: error.message }
  }
  // Class 22: a value that the database cannot hold; 23: a constraint.
  if (!/^(22|23)/.test(codeOf(error) ?? '')) throw error
  return { key, outcome: 'failed', id: null, code: 'not_storable', message: 'The database refuses this object.' }
}

function digestOf(fields: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(fields)).digest()
}

/** The object of this shop that an id of the file names: the stored one, or the one that stands for it here; null for neither. */
export function linkOf(given: string, stored: string | null, links: Facts['links']): string | null {
  const id = given.toLowerCase()
  return id === stored ? stored : (links[id] ?? null)
}

/** The objects of these ids: those of this shop, and those that an import made of objects with these ids. */
export async function resolveIds(
  db: Sql,
  shopId: string,
  ids: string[],
  { kinds, listExisting }: { kinds: string[]; listExisting: (ids: string[]) => Promise<string[]> },
): Promise<{ ids: Record<string, string> }> {
  const keys = ids.map((id) => id.toLowerCase())
  const byKey = new Map<string, string>()
  for (const kind of kinds) {
    const references = await listReferences(db, shopId, { source: exportSource, kind, keys })
    for (const { key, object_id } of references) byKey.set(key, object_id)
  }
  const existing = new Set(await listExisting([...new Set([...keys, ...byKey.values()])]))
  const found = keys.flatMap((key): [string, string][] => {
    const id = existing.has(key) ? key : byKey.get(key)
    return id !== undefined && existing.has(id) ? [[key, id]] : []
  })
  return { ids: Object.fromEntries(found) }
}
