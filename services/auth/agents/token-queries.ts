// SQL of the codes and tokens of agents, by their digests. They belong to no shop: a token finds its grant, and the grant its shop.
// docs/spec/agents-access.md#tokens
import type { TokenKind } from '#contracts/actions/agents'
import type { Sql } from '#postgres/connect'

export type TokenRow = { digest: Buffer; payload: string; grant_id: string; used_at: Date | null; age_s: number | null }
type NewToken = { digest: Buffer; grantId: string; kind: TokenKind; payload: string; expiresAt: Date }

/** False where the grant is over: its row is locked against an end at the same time. */
export async function insertToken(tx: Sql, token: NewToken, now: Date): Promise<boolean> {
  const rows = await tx.rows(
    `with live as (
       update agent_grants set collected_at = case when $3 = 'code' then collected_at else coalesce(collected_at, $5) end
       where id = $2 and ended_at is null and expires_at > $5 returning id)
     insert into agent_tokens (digest, grant_id, kind, payload, created_at, expires_at)
     select $1, id, $3, $4, $5, $6 from live returning 1`,
    [token.digest, token.grantId, token.kind, token.payload, now, token.expiresAt],
  )
  return rows.length > 0
}

/** Deletes some of the oldest tokens of a grant and kind, above so many: a client may refresh as often as it likes. */
export async function deleteTokensAbove(tx: Sql, kind: TokenKind, grantId: string, most: number): Promise<void> {
  await tx.write(
    `delete from agent_tokens where digest = any(array(
       select digest from agent_tokens where grant_id = $1 and kind = $2 order by created_at desc offset $3 limit 100))`,
    [grantId, kind, most],
  )
}

/** A token by its digests, also one that was used or is over. `age_s`: seconds since its first use. */
export async function findToken(db: Sql, kind: TokenKind, digests: Buffer[]): Promise<TokenRow | null> {
  const [row] = await db.rows<TokenRow>(
    `select digest, payload, grant_id, used_at, extract(epoch from now() - used_at)::float8 as age_s
     from agent_tokens where digest = any($1::bytea[]) and kind = $2`,
    [digests, kind],
  )
  return row ?? null
}

/** Notes the first use; returns whether this was it. */
export async function useToken(db: Sql, kind: TokenKind, digests: Buffer[]): Promise<boolean> {
  const rows = await db.rows(
    'update agent_tokens set used_at = now() where digest = any($1::bytea[]) and kind = $2 and used_at is null returning 1',
    [digests, kind],
  )
  return rows.length > 0
}

/** Those of the digests that are of access tokens in force. */
export async function listLiveTokens(db: Sql, digests: Buffer[]): Promise<Buffer[]> {
  const rows = await db.rows<{ digest: Buffer }>(
    `select t.digest from agent_tokens t join agent_grants g on g.id = t.grant_id
     where t.digest = any($1::bytea[]) and t.kind = 'access' and t.expires_at > now() and g.ended_at is null`,
    [digests],
  )
  return rows.map(({ digest }) => digest)
}

/** Deletes some of the tokens that are over; returns how many. */
export async function deleteOldTokens(db: Sql, before: Date): Promise<number> {
  const rows = await db.rows(
    `delete from agent_tokens where digest = any(array(
       select digest from agent_tokens where expires_at < $1 limit 1000)) returning 1`,
    [before],
  )
  return rows.length
}
