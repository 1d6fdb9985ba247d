// SQL of sessions and of the codes of sign-in links. They belong to no shop.
import type { Sql } from '#postgres/connect'
import type { OperatorRow } from '../tables.ts'

export async function insertSession(tx: Sql, digest: Buffer, operatorId: string, now: Date): Promise<void> {
  await tx.rows('insert into sessions (digest, operator_id, created_at, last_call_at) values ($1, $2, $3, $3)', [
    ...[digest, operatorId, now],
  ])
}

/** The operator of a session in force; null for none. */
export async function findBySession(
  db: Sql,
  digests: Buffer[],
  { begunAfter, calledAfter }: { begunAfter: Date; calledAfter: Date },
): Promise<OperatorRow | null> {
  const [row] = await db.rows<OperatorRow>(
    `select o.* from sessions s join operators o on o.id = s.operator_id
     where s.digest = any ($1) and s.created_at > $2 and s.last_call_at > $3 and o.disabled_at is null`,
    [digests, begunAfter, calledAfter],
  )
  return row ?? null
}

/** The operators of those tokens and sessions that are in force, by the digests of both. */
export function listByCredentials(
  db: Sql,
  digests: Buffer[],
  { begunAfter, calledAfter }: { begunAfter: Date; calledAfter: Date },
  now: Date,
): Promise<(OperatorRow & { by: 'token' | 'session'; digest: Buffer })[]> {
  return db.rows(
    `select o.*, c.by, c.digest from operators o join (
       select 'token' as by, operator_id, digest from operator_tokens
       where digest = any ($1) and revoked_at is null and (expires_at is null or expires_at > $4)
       union all
       select 'session', operator_id, digest from sessions
       where digest = any ($1) and created_at > $2 and last_call_at > $3) c on c.operator_id = o.id
     where o.disabled_at is null`,
    [digests, begunAfter, calledAfter, now],
  )
}

/** Notes a call once a minute, and keeps the digest under the newest secret. */
export async function noteCall(db: Sql, digests: Buffer[], now: Date): Promise<void> {
  await db.rows(
    `update sessions set last_call_at = $3, digest = $2
     where digest = any ($1) and last_call_at < $3::timestamptz - interval '1 minute'`,
    [digests, digests[0], now],
  )
}

export async function deleteSession(db: Sql, digests: Buffer[]): Promise<void> {
  await db.rows('delete from sessions where digest = any ($1)', [digests])
}

export async function deleteSessions(tx: Sql, operatorId: string): Promise<void> {
  await tx.rows('delete from sessions where operator_id = $1', [operatorId])
}

/** Deletes some of those that began before the instant; returns how many. */
export async function deleteOldSessions(db: Sql, before: Date): Promise<number> {
  const rows = await db.rows(
    `delete from sessions where digest = any (array(select digest from sessions where created_at < $1 limit 1000))
     returning 1`,
    [before],
  )
  return rows.length
}

export async function insertCode(tx: Sql, digest: Buffer, operatorId: string, now: Date): Promise<void> {
  await tx.rows('insert into sign_in_codes (digest, operator_id, created_at) values ($1, $2, $3)', [
    ...[digest, operatorId, now],
  ])
}

/** Takes a code away: it works once. Gives its operator where the code and the operator are in force. */
export async function takeCode(tx: Sql, digests: Buffer[], createdAfter: Date): Promise<OperatorRow | null> {
  const [row] = await tx.rows<OperatorRow>(
    `with taken as (delete from sign_in_codes where digest = any ($1) returning operator_id, created_at)
     select o.* from taken t join operators o on o.id = t.operator_id where t.created_at > $2 and o.disabled_at is null`,
    [digests, createdAfter],
  )
  return row ?? null
}

/** Deletes some of those that were made before the instant; returns how many. */
export async function deleteOldCodes(db: Sql, before: Date): Promise<number> {
  const rows = await db.rows(
    `delete from sign_in_codes
     where digest = any (array(select digest from sign_in_codes where created_at < $1 limit 1000)) returning 1`,
    [before],
  )
  return rows.length
}
