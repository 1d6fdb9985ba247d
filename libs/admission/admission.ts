// Admission of requests at a gateway: finds out who calls and charges the budget of the key
// (docs/spec/rest-api.md#authentication). The leases and the usage count live as long as the gateway.
import { setTimeout } from 'node:timers/promises'
import type { Context } from 'moleculer'
import { guarded } from '#calls/breaker'
import type { LeaseMessage } from '#contracts/actions/auth'
import { openClients } from '#network/client-address'
import type { ReportedRequest } from '#contracts/actions/usage'
import { toRequest } from '#contracts/objects/request'
import type { Answered, Exchange, GatewayContext } from '#http/exchange'
import { openLiveSource } from '#live/source'
import type { ServiceContext, ServiceParts } from '#runtime/service'
import { refuse } from '#contracts/errors'
import { type Credentials, authenticator, authorizationOf, isOver, noApi } from './authenticate.ts'
import { openLeases } from './lease.ts'
import { ownWords } from './own-words.ts'
import { openUsage } from './usage.ts'

export type Admission = {
  /** Sets caller and budget of a request, or refuses it. Tokens of agents are taken where `takes` says so. */
  admit(ctx: GatewayContext, takes?: Credentials): Promise<void>
  /** Checks again, without charging, that an admitted request is still allowed; for those that take long. */
  confirm(ctx: GatewayContext): Promise<void>
  /** Counts an answered request of a key, keeps it where it was not answered 2xx, and sends it to those who watch the shop. */
  answered(exchange: Exchange, answer: Answered): void
  /** What auth calls and broadcasts: messages about leases, and changed identities. */
  schema: Pick<ServiceParts, 'actions' | 'events'>
  start(): void
  stop(): Promise<void>
}

const GIVE_BACK_MS = 1_000 // Where all services stop at once, auth may be gone already.

/** The admission of one process; all gateways in it share one holder of leases. */
export function openAdmission(context: ServiceContext): Admission {
  const call = guarded(context.call, context.metrics)
  const nodeId = `admission-${context.nodeId}`
  const { authFailuresPerMinute, trustedProxies } = context.settings
  const leases = openLeases({ call, nodeId, metrics: context.metrics, failuresMax: authFailuresPerMinute })
  const usage = openUsage({ call, nodeId, log: context.log })
  const live = openLiveSource(context.broadcast)
  const clientOf = openClients(trustedProxies)
  const authenticate = authenticator(leases)
  return {
    schema: {
      actions: { [leases.action]: (ctx: Context<LeaseMessage>) => leases.handleLeaseMessage(ctx.params) },
      events: {
        'shops.watched': (ctx: Context<{ shop_ids: string[] }>) => live.watch(ctx.params.shop_ids),
        'key.changed': (ctx: Context<{ key_id?: string; shop_id?: string }>) => leases.identityChanged(ctx.params),
      },
    },
    async admit({ req, state }, takes = 'keys') {
      const { source, address } = clientOf(req.socket.remoteAddress, req.headers['x-forwarded-for'])
      state.address = address
      const { caller, budget, resources } = await authenticate(authorizationOf(req), source, address, takes)
      state.caller = caller
      state.budget = budget
      state.resources = resources
    },
    async confirm({ state: { caller, budget } }) {
      const identity = await leases.confirm(caller?.keyId ?? '')
      if (identity === null || isOver(identity.restrictions)) {
        throw refuse('unauthorized', 'This API key was revoked or is over.')
      }
      if (!identity.plan_includes_api) throw noApi(budget)
    },
    answered(exchange, answer) {
      const { shopId, keyId = null, grantId } = exchange.caller ?? {}
      if (shopId === undefined || keyId === null) return
      const isAgent = grantId !== undefined
      usage.count(shopId, keyId, answer, answer.gateway === 'mcp', isAgent)
      const isLogged = answer.status > 299
      const isWatched = live.isWatched(shopId)
      if (!isLogged && !isWatched) return
      const request = requestOf(exchange, answer, { shopId, keyId, isAgent })
      if (isLogged) usage.log(request)
      if (isWatched) live.publish(shopId, { name: 'request', data: toRequest(request) })
    },
    start() {
      leases.start()
      usage.start()
    },
    async stop() {
      live.stop()
      const givenBack = Promise.all([leases.stop(), usage.stop()])
      await Promise.race([givenBack, setTimeout(GIVE_BACK_MS, undefined, { ref: false })])
    },
  }
}

type CountedBy = { shopId: string; keyId: string; isAgent: boolean }

function requestOf(exchange: Exchange, answer: Answered, by: CountedBy): ReportedRequest {
  return {
    shop_id: by.shopId,
    key_id: by.keyId,
    is_agent: by.isAgent,
    id: exchange.requestId,
    at: new Date().toISOString(),
    method: answer.method,
    route: exchange.route ?? null,
    tool: exchange.tool ?? null,
    status: answer.status,
    code: answer.code,
    message: ownWords(answer.message, answer.param),
    duration_ms: Math.round(answer.durationMs),
    source: exchange.address ?? null,
  }
}
