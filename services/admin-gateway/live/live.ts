// GET /shops/{shop}/live: requests and delivery attempts of a shop as they happen (docs/spec/request-log.md#live-stream).
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeenInShop } from '#contracts/objects/request'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import type { GatewayContext } from '#http/exchange'
import type { ServiceContext } from '#runtime/service'
import { credentialOf } from '../access/identify.ts'
import { redacted } from '../access/redact.ts'
import { operatorOf } from '../access/session-routes.ts'
import { openOperatorWatch } from './operators.ts'
import { openStream } from './stream.ts'
import { openWatchedShops } from './watched-shops.ts'

type Open = { operatorId: string; end: () => void }

const LEASE_MS = 50 // The lease of a shop reaches the other processes before the answer begins.

export type Live = {
  /** Answers with the stream of a shop that the operator may read. Refuses limit_reached. */
  answer(ctx: GatewayContext, shopId: string): Promise<void>
  /** Takes what another process saw in a shop. */
  seen(seen: SeenInShop): void
  /** Ends every stream, and refuses further ones. */
  stop(): void
}

export function openLive({ broadcast, call }: Pick<ServiceContext, 'broadcast' | 'call'>): Live {
  const shops = openWatchedShops(broadcast)
  const operators = openOperatorWatch(call)
  const streams = new Set<Open>()
  let isStopped = false

  const isCrowded = (operatorId: string) =>
    [...streams].filter((one) => one.operatorId === operatorId).length >= limits.liveStreamsPerOperator

  return {
    async answer(ctx, shopId) {
      if (isStopped) throw refuse('unavailable', 'This process stops.', { retry_after_s: 1 })
      if (streams.size >= limits.liveStreamsMax)
        throw refuse('limit_reached', `${limits.liveStreamsMax} live streams are open. Close one, or try again later.`)
      const operator = operatorOf(ctx)
      const credential = credentialOf(ctx)
      if (credential !== null && isCrowded(operator.id))
        throw refuse(
          'limit_reached',
          `${limits.liveStreamsPerOperator} live streams of yours are open. Close one first.`,
        )
      ctx.set({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }) // nginx would collect events.
      ctx.status = 200
      if (ctx.method === 'HEAD' || ctx.res.closed || ctx.req.socket.destroyed) return // A closed answer tells its end no more.
      ctx.respond = false // The answer is written here, and ends when its reader goes.
      const stream = openStream(ctx.res)
      const one: Open = {
        operatorId: operator.id,
        end() {
          leave()
          stream.end()
        },
      }
      streams.add(one)
      const known = { operator, confirmedAt: ctx.state.operator?.askedAt ?? 0 }
      const watches = [
        shops.watch(shopId, stream, operator.role === 'support' ? redacted : undefined),
        operators.watch(credential, known, one.end),
      ]
      const leave = () => {
        if (streams.delete(one)) for (const unwatch of watches) unwatch()
      }
      ctx.res.once('close', leave)
      await sleep(LEASE_MS)
      stream.begin()
    },
    seen: shops.seen,
    stop() {
      isStopped = true
      shops.stop()
      operators.stop()
      for (const { end } of streams) end()
    },
  }
}
