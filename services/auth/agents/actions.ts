// The actions of agents' access in the back office: what agents ask for, decisions about it, and the grants of a shop.
// docs/spec/agents-access.md#consent, docs/spec/agents-access.md#grants
import { type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import type { OperatorCaller } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import type { ApprovalInput } from '#contracts/agents/input'
import { limits } from '#contracts/limits'
import { NO_SHOP } from '#audit/command'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import type { ActionHandlers, ServiceContext } from '#runtime/service'
import { command } from '../audit/queries.ts'
import { toAgentAuthorization, toAgentGrant } from '../shape.ts'
import { findNamedShop, noShop } from '../shops/actions.ts'
import { lockShop } from '../shops/queries.ts'
import type { AgentAuthorizationRow, AgentGrantRow } from '../tables.ts'
import { agentDigests, isRequestId, redirectHostOf } from './agent.ts'
import * as queries from './queries.ts'

const DAY_MS = 86_400_000

export function agentActions(context: ServiceContext, db: Database, tokenKeys: KeyObject[]): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const digests = agentDigests(tokenKeys)
  return {
    async 'agent.authorization'({ params: { id }, locals: { now } }) {
      const row = isRequestId(id) ? await queries.findAuthorization(db, id) : null
      refuseClosed(row, now)
      return toSingle(JSON.stringify(toAgentAuthorization(row)))
    },
    async 'agent.approve'({ params: { id, approval }, locals }) {
      const { now } = locals
      const operator = requireOperator(locals.operator)
      const shop = await findNamedShop(db, approval.shop)
      if (shop === null || !maySee(operator, shop.id)) throw noShop()
      const work = async (tx: Sql) => {
        if ((await lockShop(tx, shop.id)) === null) throw noShop()
        // A change of the operator ends the grants that are there by then.
        if (operator.via !== 'admin_token' && !(await queries.mayStillGrant(tx, operator.id, shop.id)))
          throw refuse('forbidden', 'This operator may no longer approve agents of this shop.')
        const request = isRequestId(id) ? await queries.lockAuthorization(tx, id) : null
        refuseClosed(request, now)
        refuseMore(request, approval)
        if ((await queries.countLiveGrants(tx, shop.id, now)) >= limits.liveAgentsPerShop) {
          const words = `A shop may have at most ${limits.liveAgentsPerShop} agents. End the access of one first.`
          throw refuse('limit_reached', words)
        }
        const grant = newGrant(request, approval, { shopId: shop.id, operatorId: operator.id }, now)
        await queries.insertGrant(tx, grant)
        await queries.approveClient(tx, request.client_id, now)
        const answer = await decided(tx, request, { operatorId: operator.id, grantId: grant.id }, now)
        return { before: null, after: toAgentGrant(grant, now), answer }
      }
      return db.transaction((tx) => command(tx, locals, () => work(tx), { keysOf: NO_SHOP, shopId: shop.id }))
    },
    async 'agent.refuse'({ params: { id }, locals }) {
      const { now } = locals
      const operator = requireOperator(locals.operator)
      const work = async (tx: Sql) => {
        const request = isRequestId(id) ? await queries.lockAuthorization(tx, id) : null
        refuseClosed(request, now)
        const answer = await decided(tx, request, { operatorId: operator.id, grantId: null }, now)
        const { client } = toAgentAuthorization(request)
        return { before: { object: 'agent_authorization', client }, after: null, answer }
      }
      return db.transaction((tx) => command(tx, locals, () => work(tx), { keysOf: NO_SHOP, shopId: null }))
    },
    async 'agent.list'({ params, locals: { caller, now } }) {
      const { shopId } = caller
      const page = openPage(params, { keys: cursorKeys, resource: 'agents', shopId, filter: filterText({}) })
      const rows = await queries.listGrants(db, shopId, page)
      return toPage(
        rows.map((row) => ({ ...row, document: JSON.stringify(toAgentGrant(row, now)) })),
        page,
      )
    },
    async 'agent.get'({ params: { id }, locals: { caller, now } }) {
      const row = isUuid(id) ? await queries.findGrant(db, caller.shopId, id) : null
      if (row === null) throw noGrant()
      return toSingle(JSON.stringify(toAgentGrant(row, now)))
    },
    async 'agent.revoke'({ params: { id }, locals }) {
      const { caller, now } = locals
      const answer = await db.transaction((tx) =>
        command(tx, locals, async () => {
          const before = isUuid(id) ? await queries.findGrant(tx, caller.shopId, id) : null
          if (before === null) throw noGrant()
          const after = (await queries.endGrant(tx, before.id, 'revoked', now)) ?? before
          return { before: toAgentGrant(before, now), after: toAgentGrant(after, now) }
        }),
      )
      context.broadcast('key.changed', { key_id: id.toLowerCase() })
      return answer
    },
  }

  // Answers where the browser goes on, with a value that works once and that is stored nowhere else.
  async function decided(
    tx: Sql,
    request: AgentAuthorizationRow,
    { operatorId, grantId }: { operatorId: string; grantId: string | null },
    now: Date,
  ): Promise<Buffer> {
    const value = randomBytes(32).toString('base64url')
    await queries.decideAuthorization(tx, request.id, { digest: digests.toStore(value), operatorId, grantId }, now)
    const { returnTo } = JSON.parse(request.payload) as { returnTo: string }
    const url = new URL(returnTo)
    url.searchParams.set('decision', value)
    return toSingle(JSON.stringify({ object: 'agent_decision', redirectTo: url.href }))
  }
}

function newGrant(
  request: AgentAuthorizationRow,
  { access, resources = null, expiresInDays }: ApprovalInput,
  { shopId, operatorId }: { shopId: string; operatorId: string },
  now: Date,
): AgentGrantRow {
  return {
    id: randomUUID(),
    shop_id: shopId,
    operator_id: operatorId,
    client_id: request.client_id,
    client_name: request.client_name,
    registration: request.registration,
    redirect_host: redirectHostOf(request.redirect_uri),
    access,
    resources,
    created_at: now,
    expires_at: new Date(now.getTime() + expiresInDays * DAY_MS),
    collected_at: null,
    last_used_at: null,
    ended_at: null,
    ended_reason: null,
  }
}

function refuseClosed(row: AgentAuthorizationRow | null, now: Date): asserts row is AgentAuthorizationRow {
  if (row === null) throw refuse('not_found', 'No agent asks for access under this id. Ask the agent to connect again.')
  if (row.decided_at !== null) throw refuse('conflict', 'This was decided already. Ask the agent to connect again.')
  if (row.expires_at <= now) throw refuse('conflict', 'This request is too old. Ask the agent to connect again.')
}

function refuseMore(request: AgentAuthorizationRow, { access }: ApprovalInput): void {
  if (access === 'read' || request.access === 'write') return
  throw refuse('invalid_request', 'access must be read: the agent did not ask for more.', { field: 'access' })
}

function requireOperator(operator: OperatorCaller | null): OperatorCaller {
  if (operator === null) throw new Error('Only an operator decides about agents.')
  return operator
}

function maySee({ shops }: OperatorCaller, shopId: string): boolean {
  return shops === null || shops.includes(shopId)
}

function noGrant() {
  return refuse('not_found', 'No agent with that id in this shop.')
}
