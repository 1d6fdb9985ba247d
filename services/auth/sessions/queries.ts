// SQL of sessions and of the codes of sign-in links. They belong to no shop.
import type { Sql } from '#postgres/connect'
import type { OperatorRow } from '../tables.ts'

/** `token_id`: the token that it begins with, and ends with; null for a sign-in without one. */
export async function insertSession(
  tx: Sql,
  digest: Buffer,
  { id, token_id }: { id: string; token_id: string | null },
  now: Date,
): Promise<void> {
  await tx.write(
    'insert into sessions (digest, operator_id, token_id, created_at, last_call_at) values ($1, $2, $3, $4, $4)',
    [digest, id, token_id, now],
  )
}

// A session is in force as long as the token that it began with: read from the token, so that no revocation can miss a session that
// begins at the same time.
const tokenOfSession = 'left join operator_tokens st on st.id = s.token_id'
const hasTokenInForce = (now: string) => `st.revoked_at is null and (st.expires_at is null or st.expires_at > ${now})`

/** The operator of a session in force, with the digest of the session; null for none. */
export async function findBySession(
  db: Sql,
  digests: Buffer[],
  { begunAfter, calledAfter }: { begunAfter: Date; calledAfter: Date },
  now: Date,
): Promise<(OperatorRow & { digest: Buffer }) | null> {
  const [row] = await db.rows<OperatorRow & { digest: Buffer }>(
    `select o.*, s.digest from sessions s join operators o on o.id = s.operator_id ${tokenOfSession}
     where s.digest = any ($1) and s.created_at > $2 and s.last_call_at > $3 and o.disabled_at is null
       and ${hasTokenInForce('$4')}`,
    [digests, begunAfter, calledAfter, now],
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
       select 'session', s.operator_id, s.digest from sessions s ${tokenOfSession}
       where s.digest = any ($1) and s.created_at > $2 and s.last_call_at > $3
         and ${hasTokenInForce('$4')}) c on c.operator_id = o.id
     where o.disabled_at is null`,
    [digests, begunAfter, calledAfter, now],
  )
}

/** Notes a call once a minute, and stores `digests[0]` instead of a digest that is `outdated`. */
export async function noteCall(db: Sql, digests: Buffer[], outdated: Buffer[], now: Date): Promise<void> {
  await db.rows(
    `update sessions set last_call_at = $3, digest = case when digest = any ($4) then $2 else digest end
     where digest = any ($1) and last_call_at < $3::timestamptz - interval '1 minute'`,
    [digests, digests[0], now, outdated],
  )
}

export async function deleteSession(db: Sql, digests: Buffer[]): Promise<void> {
  await db.rows('delete from sessions where digest = any ($1)', [digests])
}

export async function deleteSessions(tx: Sql, operatorId: string): Promise<void> {
  await tx.write('delete from sessions where operator_id = $1', [operatorId])
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
  await tx.write('insert into sign_in_codes (digest, operator_id, created_at) values ($1, $2, $3)', [
    ...[digest, operatorId, now],
  ])
}

/** Deletes a code, which works once. Returns its operator where the code and the operator are in force. */
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
