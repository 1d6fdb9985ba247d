// SQL of the files of background imports, and of the claims of their workers. docs/spec/internals.md#background-imports
import { limits } from '#contracts/limits'
import type { Sql } from '#postgres/connect'
import type { ImportRow, ShopRow } from '../tables.ts'
import type { Run } from './queries.ts'

/** How many background imports of the shop wait, run or arrive now. Locks the shop's queue until the transaction ends. */
export async function countQueued(tx: Sql, shopId: string): Promise<number> {
  await tx.rows(`select pg_advisory_xact_lock(hashtext('import queue'), hashtext($1))`, [shopId])
  const [row] = await tx.rows<{ count: number }>(
    "select count(*)::int as count from import_files where shop_id = $1 and (is_queued or touched_at > now() - $2 * interval '1 ms')",
    [shopId, limits.importIdleMs],
  )
  return row?.count ?? 0
}

export async function insertFile(tx: Sql, shopId: string, id: string): Promise<void> {
  await tx.write('insert into import_files (id, shop_id, touched_at) values ($1, $2, now())', [id, shopId])
}

/** False where no such file is open. A chunk that is sent again is left as it is. */
export async function insertChunk(
  db: Sql,
  shopId: string,
  { id, number, bytes }: { id: string; number: number; bytes: Uint8Array },
): Promise<boolean> {
  const rows = await db.rows(
    `with file as (
       update import_files set touched_at = now() where shop_id = $1 and id = $2 and not is_queued returning id
     ), chunk as (
       insert into import_chunks (file_id, number, bytes) select id, $3, $4 from file on conflict do nothing
     )
     select id from file`,
    [shopId, id, number, bytes],
  )
  return rows.length > 0
}

/** Whether the file has arrived with all of its chunks and is not queued yet; it then stays until its import has ended. */
export async function keepFile(tx: Sql, shopId: string, id: string, chunks: number): Promise<boolean> {
  const rows = await tx.rows(
    `update import_files set is_queued = true where shop_id = $1 and id = $2 and not is_queued and touched_at > 'epoch'
       and (select count(*) from import_chunks where file_id = $2) = $3
     returning id`,
    [shopId, id, chunks],
  )
  return rows.length > 0
}

/** Lets a file go; `deleteOldChunks` takes its chunks. */
export async function dropFile(db: Sql, shopId: string, id: string): Promise<void> {
  await db.rows(`update import_files set is_queued = false, touched_at = 'epoch' where shop_id = $1 and id = $2`, [
    shopId,
    id,
  ])
}

/** A chunk of the file of an import that the run holds, or null. */
export async function findChunk(db: Sql, shopId: string, run: Run, number: number): Promise<Buffer | null> {
  const [row] = await db.rows<{ bytes: Buffer }>(
    `select c.bytes from imports i join import_chunks c on c.file_id = i.id and c.number = $4
     where i.shop_id = $1 and i.id = $2 and i.fence = $3 and i.status = 'running'`,
    [shopId, run.id, run.fence, number],
  )
  return row?.bytes ?? null
}

export type Candidate = ImportRow & Pick<ShopRow, 'handle' | 'currency' | 'time_zone' | 'country'>

/**
 * The oldest background import that waits or whose worker is gone, of a shop of which none runs. Of all shops: a worker works for each.
 * Claims follow one another, so that no two workers take imports of one shop.
 */
export async function findClaimable(tx: Sql): Promise<Candidate | null> {
  await tx.rows(`select pg_advisory_xact_lock(hashtext('import claims'))`)
  const [row] = await tx.rows<Candidate>(
    `select i.*, s.handle, s.currency, s.time_zone, s.country from imports i join shops s on s.id = i.shop_id
     where i.chunks is not null and i.status in ('queued', 'running') and (i.lease_until is null or i.lease_until < now())
       and not exists (select from imports o where o.shop_id = i.shop_id and o.chunks is not null
         and o.status in ('queued', 'running') and o.lease_until >= now())
     order by i.created_at, i.id limit 1 for update of i`,
  )
  return row ?? null
}

/**
 * Background imports that nobody works on: their lease has ended or they wait, both for `afterMs`, and no other import of their shop runs.
 * All shops: a metric.
 */
export async function countStalled(db: Sql, afterMs: number): Promise<number> {
  const [row] = await db.rows<{ count: number }>(
    `select count(distinct i.shop_id)::integer as count from imports i
     where i.chunks is not null and i.status in ('queued', 'running')
       and coalesce(i.lease_until, i.updated_at) < now() - $1 * interval '1 ms'
       and not exists (select from imports o where o.shop_id = i.shop_id and o.chunks is not null
         and o.status in ('queued', 'running') and o.lease_until >= now())`, // All shops.
    [afterMs],
  )
  return row?.count ?? 0
}

/** Begins another run of a claimable import, and returns its fence. */
export async function claimImport(tx: Sql, { id, shop_id }: ImportRow, leaseMs: number): Promise<number> {
  const [row] = await tx.rows<{ fence: number }>(
    `update imports set status = 'running', phase = 'checking', fence = fence + 1, updated_at = now(),
       lease_until = now() + $3 * interval '1 ms'
     where shop_id = $1 and id = $2 returning fence`,
    [shop_id, id, leaseMs],
  )
  if (row === undefined) throw new Error('An import that is locked is gone.')
  return row.fence
}

/** Deletes chunks of files that nobody needs. */
export async function deleteOldChunks(db: Sql, rowsMax: number): Promise<number> {
  // All shops: files go whatever shop they are of.
  const rows = await db.rows(
    `delete from import_chunks where (file_id, number) in (
       select c.file_id, c.number from import_files f join import_chunks c on c.file_id = f.id
       where not f.is_queued and f.touched_at < now() - $1 * interval '1 ms' limit $2)
     returning 1`,
    [limits.importIdleMs, rowsMax],
  )
  return rows.length
}

export async function deleteOldFiles(db: Sql, rowsMax: number): Promise<number> {
  // All shops.
  const rows = await db.rows(
    `delete from import_files where id in (
       select id from import_files f where not is_queued and touched_at < now() - $1 * interval '1 ms'
         and not exists (select from import_chunks where file_id = f.id) limit $2)
     returning 1`,
    [limits.importIdleMs, rowsMax],
  )
  return rows.length
}
