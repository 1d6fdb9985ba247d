// SQL of operators and their tokens. They belong to no shop.
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { Sql } from '#postgres/connect'
import type { OperatorRow, OperatorTokenRow } from '../tables.ts'

/** Throws a violation of operators_email when another operator has the email. */
export async function insertOperator(tx: Sql, row: OperatorRow): Promise<void> {
  await tx.write('insert into operators (id, name, email, role, shops, created_at) values ($1, $2, $3, $4, $5, $6)', [
    row.id,
    row.name,
    row.email,
    row.role,
    row.shops,
    row.created_at,
  ])
}

export async function findOperator(db: Sql, id: string): Promise<OperatorRow | null> {
  const [row] = await db.rows<OperatorRow>('select * from operators where id = $1', [id])
  return row ?? null
}

/** Only one that is not disabled. */
export async function findOperatorByEmail(db: Sql, email: string): Promise<OperatorRow | null> {
  const text = 'select * from operators where lower(email) = lower($1) and disabled_at is null'
  const [row] = await db.rows<OperatorRow>(text, [email])
  return row ?? null
}

/** A page, newest first. Uses the index operators_newest or operators_email. */
export function listOperators(db: Sql, email: string | undefined, page: PageRequest): Promise<OperatorRow[]> {
  const list = conditions([['true'], ['lower(email) = lower(?)', email], afterCursor('created_at, id', page)])
  return db.rows(
    `select * from operators where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

/** Locks the operator and all owners, so that two changes at once cannot each leave the other as the last owner. */
export function lockOperatorAndOwners(tx: Sql, id: string): Promise<OperatorRow[]> {
  return tx.rows<OperatorRow>(
    `select * from operators where id = $1 or (role = 'owner' and disabled_at is null) order by id for update`,
    [id],
  )
}

/** Throws a violation of operators_email when another operator has the email. */
export async function saveOperator(tx: Sql, row: OperatorRow): Promise<void> {
  await tx.write('update operators set name = $2, email = $3, role = $4, shops = $5, disabled_at = $6 where id = $1', [
    ...[row.id, row.name, row.email, row.role, row.shops, row.disabled_at],
  ])
}

/** Those of the ids that no shop has. */
export async function unknownShops(tx: Sql, ids: string[]): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    'select id from unnest($1::uuid[]) as asked (id) where not exists (select from shops s where s.id = asked.id and s.deleted_at is null)',
    [ids],
  )
  return rows.map(({ id }) => id)
}

export async function countLiveTokens(tx: Sql, operatorId: string, now: Date): Promise<number> {
  const [row] = await tx.rows<{ live: number }>(
    `select count(*)::integer as live from operator_tokens
     where operator_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    [operatorId, now],
  )
  return row?.live ?? 0
}

export async function insertToken(tx: Sql, row: OperatorTokenRow): Promise<void> {
  await tx.write(
    `insert into operator_tokens (id, operator_id, name, digest, prefix, last_four, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [row.id, row.operator_id, row.name, row.digest, row.prefix, row.last_four, row.expires_at, row.created_at],
  )
}

/** A page of the operator's tokens, newest first. Uses the index operator_tokens_newest. */
export function listTokens(db: Sql, operatorId: string, page: PageRequest): Promise<OperatorTokenRow[]> {
  const list = conditions([['operator_id = ?', operatorId], afterCursor('created_at, id', page)])
  return db.rows(
    `select * from operator_tokens where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

/** A token that was revoked before keeps its instant. Null when the operator has no such token. */
export async function revokeToken(
  db: Sql,
  operatorId: string,
  id: string,
  now: Date,
): Promise<OperatorTokenRow | null> {
  const [row] = await db.rows<OperatorTokenRow>(
    `update operator_tokens set revoked_at = coalesce(revoked_at, $3) where operator_id = $1 and id = $2 returning *`,
    [operatorId, id, now],
  )
  return row ?? null
}

/** The operator of a token in force, by its digests under each secret, with the id and digest of the token; null for none. */
export async function findByToken(
  db: Sql,
  digests: Buffer[],
  now: Date,
): Promise<(OperatorRow & { token_id: string; digest: Buffer }) | null> {
  const [row] = await db.rows<OperatorRow & { token_id: string; digest: Buffer }>(
    `select o.*, t.id as token_id, t.digest from operator_tokens t join operators o on o.id = t.operator_id
     where t.digest = any ($1) and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2)
       and o.disabled_at is null`,
    [digests, now],
  )
  return row ?? null
}

/** Notes the use once a minute, and stores `digests[0]` instead of a digest that is `outdated`. */
export async function noteTokenUse(db: Sql, digests: Buffer[], outdated: Buffer[], now: Date): Promise<void> {
  await db.rows(
    `update operator_tokens set last_used_at = $3, digest = case when digest = any ($4) then $2 else digest end
     where digest = any ($1) and (last_used_at is null or last_used_at < $3::timestamptz - interval '1 minute')`,
    [digests, digests[0], now, outdated],
  )
}

export async function noteSeen(db: Sql, operatorId: string, now: Date): Promise<void> {
  await db.rows(
    `update operators set last_seen_at = $2
     where id = $1 and (last_seen_at is null or last_seen_at < $2::timestamptz - interval '1 minute')`,
    [operatorId, now],
  )
}
