// The objects that the keys of imported files stand for: one table in each schema that takes imports, one row for each key.
// docs/spec/imports.md#identity-and-re-import
//
// The row is written in the object's own transaction, with the batch that wrote it and the result for that batch. A batch that
// is sent again, because its response was late or its service died, gets the same result: so an import counts what it did,
// however often it had to send a batch.
import type { ImportOutcome, ImportResult } from '#contracts/actions/import-result'
import { breaks, type Database, type Sql } from '../connect.ts'

/** `source` is the format of the file, `kind` that of the object. */
export type ReferenceName = { source: string; kind: string; key: string }
type Told = { outcome: ImportOutcome; code: string | null; message: string | null }
/** `digest` is of the content in the file; null where another reference covers it. */
export type Reference = {
  key: string
  object_id: string
  digest: Buffer | null
  batch: string | null
  told: Told | null
}
/** `batch` is the importer's id of a batch, the same however often it is sent. */
export type Writing = { objectId: string; digest: Buffer; batch: string | null; told: Told }

/** The references of these keys that exist. */
export function listReferences(
  db: Sql,
  shopId: string,
  { source, kind, keys }: { source: string; kind: string; keys: string[] },
): Promise<Reference[]> {
  return db.rows(
    `select ${columns} from external_references where shop_id = $1 and source = $2 and kind = $3 and key = any($4)`,
    [shopId, source, kind, keys],
  )
}

/** The names and results of everything that imports wrote about these objects. */
export function listReferencesOf(
  db: Sql,
  shopId: string,
  objectIds: string[],
): Promise<(Pick<ReferenceName, 'source' | 'key'> & Pick<Reference, 'object_id' | 'told'>)[]> {
  return db.rows(
    `select source, key, object_id, told from external_references where shop_id = $1 and object_id = any($2::uuid[])
     order by object_id, source, kind, key`,
    [shopId, objectIds],
  )
}

/** The key's reference, locked, or null. */
export async function lockReference(tx: Sql, shopId: string, { source, kind, key }: ReferenceName) {
  const [row] = await tx.rows<Reference>(
    `select ${columns} from external_references
     where shop_id = $1 and source = $2 and kind = $3 and key = $4 for update`,
    [shopId, source, kind, key],
  )
  return row ?? null
}

/** The references of these keys that exist, locked in the order of the keys. */
export function lockReferences(
  tx: Sql,
  shopId: string,
  { source, kind, keys }: { source: string; kind: string; keys: string[] },
): Promise<Reference[]> {
  return tx.rows(
    `select ${columns} from external_references
     where shop_id = $1 and source = $2 and kind = $3 and key = any($4) order by key for update`,
    [shopId, source, kind, keys],
  )
}

/** Violates `referenceRule` when another transaction wrote the key first; see `changeOnKey`. */
export async function insertReference(tx: Sql, shopId: string, name: ReferenceName, writing: Writing): Promise<void> {
  await tx.write(
    `insert into external_references (shop_id, source, kind, key, object_id, digest, batch, told)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    valuesOf(shopId, name, writing),
  )
}

export async function updateReference(tx: Sql, shopId: string, name: ReferenceName, writing: Writing): Promise<void> {
  await tx.write(
    `update external_references set object_id = $5, digest = $6, batch = $7, told = $8
     where shop_id = $1 and source = $2 and kind = $3 and key = $4`,
    valuesOf(shopId, name, writing),
  )
}

/** The references of one batch; `isNew` where the key had none. Violates `referenceRule` as `insertReference`. */
export async function saveReferences(
  tx: Sql,
  shopId: string,
  { source, kind, batch }: { source: string; kind: string; batch: string | null },
  all: (Omit<Writing, 'batch'> & { key: string; isNew: boolean })[],
): Promise<void> {
  const [added, changed] = [all.filter(({ isNew }) => isNew), all.filter(({ isNew }) => !isNew)]
  const valuesOfAll = (writings: typeof all) => {
    const rows = writings.map(({ key, objectId, digest, told: { outcome, code, message } }) => {
      return { key, object_id: objectId, digest: digest.toString('hex'), told: { outcome, code, message } }
    })
    return [shopId, source, kind, batch, JSON.stringify(rows)]
  }
  const rows = `json_to_recordset($5) as r (key text, object_id uuid, digest text, told jsonb)`
  if (added.length > 0) {
    // In one order, so that two imports of the same keys wait for each other instead of ending in a deadlock.
    await tx.write(
      `insert into external_references (shop_id, source, kind, key, object_id, digest, batch, told)
       select $1, $2, $3, r.key, r.object_id, decode(r.digest, 'hex'), $4, r.told from ${rows} order by r.key`,
      valuesOfAll(added),
    )
  }
  if (changed.length > 0) {
    await tx.write(
      `update external_references e set object_id = r.object_id, digest = decode(r.digest, 'hex'), batch = $4, told = r.told
       from ${rows} where e.shop_id = $1 and e.source = $2 and e.kind = $3 and e.key = r.key`,
      valuesOfAll(changed),
    )
  }
}

/** Runs the work in a change of the shop, again when another import wrote the same key in between. */
export async function changeOnKey<Result>(
  db: Pick<Database, 'change'>,
  shopId: string,
  work: (tx: Sql, now: Date) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.change(shopId, work)
  } catch (error) {
    if (!breaks(error, referenceRule)) throw error
    return db.change(shopId, work)
  }
}

/** The unique constraint: one key stands for one object. */
export const referenceRule = 'external_references_pkey'

/** The result that this batch got for the key before; null when this batch has not written it. */
export function earlierResult(reference: Reference | null | undefined, batch: string | null): ImportResult | null {
  const isAgain = reference && batch !== null && reference.batch === batch
  return isAgain && reference.told ? { key: reference.key, id: reference.object_id, ...reference.told } : null
}

const columns = 'key, object_id, digest, batch, told'

function valuesOf(shopId: string, { source, kind, key }: ReferenceName, writing: Writing): unknown[] {
  const { outcome, code, message } = writing.told
  const told = JSON.stringify({ outcome, code, message })
  return [shopId, source, kind, key, writing.objectId, writing.digest, writing.batch, told]
}
