// The actions of agents' sign-in: what mcp-gateway stores and finds as the adapter of its OAuth library.
// docs/spec/agents-access.md#tokens
// Replicas of the gateway share nothing but these rows. Each action is one statement or one transaction, so that a sign-in whose replica
// dies between two steps goes on at another one.
import type { KeyObject } from 'node:crypto'
import { auditHead } from '#audit/entry'
import type { FoundAuthorization, FoundGrant, FoundToken } from '#contracts/actions/agents'
import { isUuid } from '#contracts/actions/params'
import { limits } from '#contracts/limits'
import type { Database } from '#postgres/connect'
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { insertEntries } from '../audit/queries.ts'
import type { AgentGrantRow } from '../tables.ts'
import { agentDigests } from './agent.ts'
import * as queries from './queries.ts'
import { deleteTokensAbove, findToken, insertToken, useToken } from './token-queries.ts'

const HOUR_MS = 3_600_000

export function agentSignInActions(context: ServiceContext, db: Database, tokenKeys: KeyObject[]): ActionHandlers {
  const digests = agentDigests(tokenKeys)
  return {
    async 'agent.store_client'({ params: { id, document }, locals: { now } }) {
      await db.transaction(async (tx) => {
        await queries.insertClient(tx, id, document, now)
        await queries.deleteClientsAbove(tx, limits.agentClientsUnapproved)
      })
      return {}
    },
    async 'agent.find_client'({ params: { id }, locals: { now } }) {
      const document = await queries.findClient(db, id, new Date(now.getTime() - limits.agentClientHours * HOUR_MS))
      return { document }
    },
    async 'agent.open_authorization'({ params, locals: { now } }) {
      const { id, client, access, payload, lifetime_s } = params
      await queries.saveAuthorization(db, {
        id,
        client_id: client.id,
        client_name: client.name,
        registration: client.registration,
        redirect_uri: client.redirect_uri,
        access,
        payload,
        created_at: now,
        expires_at: after(now, lifetime_s),
        decided_at: null,
        decision_digest: null,
        operator_id: null,
        grant_id: null,
      })
      return {}
    },
    async 'agent.find_authorization'({ params: { id }, locals: { now } }): Promise<FoundAuthorization> {
      const row = await queries.findAuthorization(db, id)
      if (row === null || row.expires_at <= now) return null
      const { payload, decided_at, grant_id, operator_id } = row
      if (decided_at === null || operator_id === null) return { payload, decision: null }
      return { payload, decision: grant_id === null ? 'refused' : { grant_id, operator_id } }
    },
    async 'agent.take_decision'({ params: { id, value }, locals: { now } }) {
      return { taken: await queries.takeDecision(db, id, digests.toFind(value), now) }
    },
    async 'agent.close_authorization'({ params: { id }, locals: { now } }) {
      await queries.closeAuthorization(db, id, now)
      return {}
    },
    async 'agent.find_grant'({ params: { id }, locals: { now } }): Promise<FoundGrant> {
      const row = isUuid(id) ? await queries.findLiveGrant(db, id, now) : null
      if (row === null) return null
      const { client_id, operator_id, access, expires_at } = row
      return { client_id, operator_id, access, expires_at: Math.floor(expires_at.getTime() / 1_000) }
    },
    async 'agent.store_token'({ params: { kind, token, grant_id, payload, lifetime_s }, locals: { now } }) {
      const digest = digests.toStore(token)
      const row = { digest, grantId: grant_id, kind, payload, expiresAt: after(now, lifetime_s) }
      return db.transaction(async (tx) => {
        const stored = await insertToken(tx, row, now)
        if (stored) await deleteTokensAbove(tx, kind, grant_id, limits.agentTokensKept)
        return { stored }
      })
    },
    async 'agent.find_token'({ params: { kind, token } }): Promise<FoundToken> {
      const row = await findToken(db, kind, digests.toFind(token))
      if (row === null) return null
      digests.found(token, row.digest)
      // Two workers of a client, or one that got no answer, use a refresh token twice (docs/spec/agents-access.md#tokens).
      const isRetry = kind === 'refresh' && (row.age_s ?? 0) <= limits.agentRetryS
      return { payload: row.payload, used: row.used_at === null || isRetry ? null : row.used_at.getTime() / 1_000 }
    },
    async 'agent.use_token'({ params: { kind, token } }) {
      const isFirst = await useToken(db, kind, digests.toFind(token))
      return { used: isFirst || kind === 'refresh' }
    },
    async 'agent.end'({ params: { grant_id, reason, source, request_id }, locals: { now } }) {
      const ended = await db.transaction(async (tx) => {
        const row = await queries.endGrant(tx, grant_id, reason, now)
        if (row !== null && reason === 'reuse') await insertEntries(tx, [reuseEntry(row, source, request_id, now)])
        return row
      })
      if (ended !== null) context.broadcast('key.changed', { key_id: ended.id })
      return {}
    },
  }
}

// Nobody of the back office did it, so the entry names no operator.
function reuseEntry(row: AgentGrantRow, source: string, requestId: string, now: Date) {
  const call = { action: 'agent.reuse', method: 'POST', route: '/oauth/token', source }
  return {
    ...auditHead(call, null, now),
    request_id: requestId,
    shop_id: row.shop_id,
    object_id: row.id,
    outcome: 'done' as const,
    code: null,
    changes: JSON.stringify({ endedReason: [null, 'reuse'] }),
  }
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1_000)
}
