// SQL of the clients of agents, their requests and their grants. docs/spec/agents-access.md
import { afterCursor, conditions } from '#paging/list'
import type { PageRequest } from '#paging/page'
import type { EndReason } from '#contracts/agents/objects'
import type { OperatorRow } from '../tables.ts'
import type { Sql } from '#postgres/connect'
import type { AgentAuthorizationRow, AgentGrantRow } from '../tables.ts'

/** Stores a client that registers itself. */
export async function insertClient(tx: Sql, id: string, document: string, now: Date): Promise<void> {
  // All shops: it is not known yet which one the client will reach.
  await tx.write('insert into agent_clients (id, document, created_at) values ($1, $2, $3)', [id, document, now])
}

/** Deletes the oldest clients that nobody has approved, above so many. */
export async function deleteClientsAbove(tx: Sql, most: number): Promise<void> {
  // All shops: housekeeping.
  await tx.write(
    `delete from agent_clients where id in (
       select id from agent_clients where approved_at is null order by created_at desc, id offset $1 limit 100)`,
    [most],
  )
}

/** The document of a client; null where there is none or it is too old to be approved. */
export async function findClient(db: Sql, id: string, createdAfter: Date): Promise<string | null> {
  // By its own key.
  const [row] = await db.rows<{ document: string }>(
    'select document from agent_clients where id = $1 and (approved_at is not null or created_at > $2)',
    [id, createdAfter],
  )
  return row?.document ?? null
}

export async function approveClient(tx: Sql, id: string, now: Date): Promise<void> {
  // By its own key.
  await tx.write('update agent_clients set approved_at = $2 where id = $1 and approved_at is null', [id, now])
}

/** Deletes some of the clients that nobody has approved in time; returns how many. */
export async function deleteOldClients(db: Sql, createdBefore: Date): Promise<number> {
  // All shops: housekeeping.
  const rows = await db.rows(
    `delete from agent_clients where id in (
       select id from agent_clients where approved_at is null and created_at < $1 limit 1000) returning 1`,
    [createdBefore],
  )
  return rows.length
}

/** Stores a request; a repeated call replaces what the library keeps of it. */
export async function saveAuthorization(db: Sql, row: AgentAuthorizationRow): Promise<void> {
  // All shops: the operator chooses one.
  await db.rows(
    `insert into agent_authorizations (id, client_id, client_name, registration, redirect_uri, access, payload, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (id) do update set payload = excluded.payload`,
    [
      ...[row.id, row.client_id, row.client_name, row.registration, row.redirect_uri, row.access, row.payload],
      ...[row.created_at, row.expires_at],
    ],
  )
}

export async function findAuthorization(db: Sql, id: string): Promise<AgentAuthorizationRow | null> {
  // By its own key.
  const [row] = await db.rows<AgentAuthorizationRow>('select * from agent_authorizations where id = $1', [id])
  return row ?? null
}

/** The same, locked against a second decision. */
export async function lockAuthorization(tx: Sql, id: string): Promise<AgentAuthorizationRow | null> {
  // By its own key.
  const [row] = await tx.rows<AgentAuthorizationRow>('select * from agent_authorizations where id = $1 for update', [
    id,
  ])
  return row ?? null
}

type Decided = { digest: Buffer; operatorId: string; grantId: string | null }

/** `digest`: of the one-time value that leads the browser on. */
export async function decideAuthorization(tx: Sql, id: string, decided: Decided, now: Date): Promise<void> {
  // By its own key.
  await tx.write(
    'update agent_authorizations set decided_at = $2, decision_digest = $3, operator_id = $4, grant_id = $5 where id = $1',
    [id, now, decided.digest, decided.operatorId, decided.grantId],
  )
}

/** Whether one of the digests is that of the decision. It is no longer afterwards. */
export async function takeDecision(db: Sql, id: string, digests: Buffer[], now: Date): Promise<boolean> {
  // By its own key.
  const rows = await db.rows(
    `update agent_authorizations set decision_digest = null
     where id = $1 and decision_digest = any($2::bytea[]) and expires_at > $3 returning 1`,
    [id, digests, now],
  )
  return rows.length > 0
}

/** The request stays for a while, so that a second decision is told that there was one. */
export async function closeAuthorization(db: Sql, id: string, now: Date): Promise<void> {
  // By its own key.
  await db.rows(`update agent_authorizations set expires_at = least(expires_at, $2), payload = '' where id = $1`, [
    id,
    now,
  ])
}

/** Deletes some of the requests that were over before the instant; returns how many. */
export async function deleteOldAuthorizations(db: Sql, before: Date): Promise<number> {
  // All shops: housekeeping.
  const rows = await db.rows(
    `delete from agent_authorizations where id in (
       select id from agent_authorizations where expires_at < $1 limit 1000) returning 1`,
    [before],
  )
  return rows.length
}

export async function countLiveGrants(tx: Sql, shopId: string, now: Date): Promise<number> {
  const [row] = await tx.rows<{ live: number }>(
    'select count(*)::integer as live from agent_grants where shop_id = $1 and ended_at is null and expires_at > $2',
    [shopId, now],
  )
  return row?.live ?? 0
}

/** Whether the operator may still give access to the shop. Until the transaction ends, the operator stays as it is. */
export async function mayStillGrant(tx: Sql, operatorId: string, shopId: string): Promise<boolean> {
  const rows = await tx.rows(
    `select 1 from operators where id = $1 and disabled_at is null
       and (role = 'owner' or role = 'manager' and $2 = any(shops)) for share`,
    [operatorId, shopId],
  )
  return rows.length > 0
}

export async function insertGrant(tx: Sql, row: AgentGrantRow): Promise<void> {
  await tx.write(
    `insert into agent_grants (id, shop_id, operator_id, client_id, client_name, registration, redirect_host, access, resources,
       created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[row.id, row.shop_id, row.operator_id, row.client_id, row.client_name, row.registration, row.redirect_host],
      ...[row.access, row.resources, row.created_at, row.expires_at],
    ],
  )
}

export async function findGrant(db: Sql, shopId: string, id: string): Promise<AgentGrantRow | null> {
  const [row] = await db.rows<AgentGrantRow>('select * from agent_grants where shop_id = $1 and id = $2', [shopId, id])
  return row ?? null
}

/** A grant in force, by its id alone. */
export async function findLiveGrant(db: Sql, id: string, now: Date): Promise<AgentGrantRow | null> {
  // All shops: the sign-in does not know which one it is.
  const [row] = await db.rows<AgentGrantRow>(
    'select * from agent_grants where id = $1 and ended_at is null and expires_at > $2',
    [id, now],
  )
  return row ?? null
}

/** A page of the shop's grants, ended ones included, newest first. Uses the index agent_grants_newest. */
export function listGrants(db: Sql, shopId: string, page: PageRequest): Promise<AgentGrantRow[]> {
  const list = conditions([['shop_id = ?', shopId], afterCursor('created_at, id', page)])
  return db.rows(
    `select * from agent_grants where ${list.where} order by created_at desc, id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

/** Ends a live grant; returns it as it is then, or null where it was over or there is none. */
export async function endGrant(tx: Sql, id: string, reason: EndReason, now: Date): Promise<AgentGrantRow | null> {
  // All shops: by its own key.
  const [row] = await tx.rows<AgentGrantRow>(
    `update agent_grants set ended_at = $3, ended_reason = $2 where id = $1 and ended_at is null and expires_at > $3 returning *`,
    [id, reason, now],
  )
  if (row !== undefined) await tx.write('delete from agent_tokens where grant_id = $1', [id])
  return row ?? null
}

/** Ends the grants that an operator may no longer give, after a change of the operator; returns their ids. */
export async function endGrantsOfOperator(tx: Sql, operator: OperatorRow, now: Date): Promise<string[]> {
  const { id, role, shops, disabled_at } = operator
  const kept = disabled_at === null && (role === 'owner' || role === 'manager')
  // All shops but those that the operator keeps.
  const rows = await tx.rows<{ id: string }>(
    `update agent_grants set ended_at = $2, ended_reason = 'operator'
     where operator_id = $1 and ended_at is null and expires_at > $2 and not ($3 and ($4::uuid[] is null or shop_id = any($4)))
     returning id`,
    [id, now, kept, role === 'owner' ? null : (shops ?? [])],
  )
  await tx.write('delete from agent_tokens where grant_id = any($1)', [rows.map((row) => row.id)])
  return rows.map((row) => row.id)
}

/** Ends grants whose client never came for its token, and those whose time is over; returns how many. */
export async function endOldGrants(db: Sql, now: Date, approvedBefore: Date): Promise<number> {
  // All shops: housekeeping.
  const rows = await db.rows(
    `update agent_grants set ended_at = least($1, expires_at), ended_reason = 'expired'
     where id in (
       (select id from agent_grants where ended_at is null and expires_at <= $1 limit 500)
       union all
       (select id from agent_grants where ended_at is null and collected_at is null and created_at < $2 limit 500))
     returning 1`,
    [now, approvedBefore],
  )
  return rows.length
}
