// What the gateway itself adds to the audit: calls that were refused or failed, and failed sign-ins. docs/spec/audit.md
// What was done is recorded by the service that did it, in the same transaction.
//
// Entries wait in memory and go to auth in batches, off the path of the answer. A batch without an answer is sent again; auth knows entries
// by id. So nothing is lost while auth or the bus is away for a short time. Lost are: entries beyond the 5,000 that wait, which are counted
// in the log, and the last second of a gateway that is killed.
import { randomUUID } from 'node:crypto'
import { auditHead } from '#audit/entry'
import { AUDIT_BATCH, type AuditFacts } from '#contracts/actions/audit'
import { isUuid } from '#contracts/actions/params'
import type { AuditedCall, OperatorCaller } from '#contracts/caller'
import { refusalCode, statusOf } from '#contracts/errors'
import { openClients } from '#network/client-address'
import type { GatewayContext } from '#http/exchange'
import type { ServiceContext } from '#runtime/service'
import { startWorker } from '#runtime/worker-loop'

type Tried = { action: string; path: string; shopId?: string | undefined; objectId?: string | undefined }
type Means = OperatorCaller['via']
export type AuditLog = {
  /** What travels with a call that changes something. `via`: for a sign-in. */
  callOf(ctx: GatewayContext, tried: Pick<Tried, 'action' | 'path'>, via?: Means): AuditedCall
  /** Notes that the call ended with the error. `operator` is null where nobody is known. */
  note(
    ctx: GatewayContext,
    tried: Tried,
    operator: Pick<OperatorCaller, 'id' | 'name' | 'via'> | null,
    error: unknown,
  ): void
  stop(): Promise<void>
}
type Noted = AuditFacts & { outcome: 'refused' | 'failed' }

const WAITING_MAX = 5_000
// So that guesses of a sign-in leave room for what operators do.
const STRANGERS_MAX = 2_500
const POLL_MS = 1_000
const SEND_MS = 3_000

export function openAuditLog({ call, log, settings }: Pick<ServiceContext, 'call' | 'log' | 'settings'>): AuditLog {
  const clientOf = openClients(settings.trustedProxies)
  const ids = new WeakMap<GatewayContext, string>()
  let waiting: Noted[] = []
  let lost = 0

  const callOf: AuditLog['callOf'] = (ctx, { action, path }, via) => {
    const { address } = clientOf(ctx.req.socket.remoteAddress, ctx.req.headers['x-forwarded-for'])
    const id = ids.get(ctx) ?? randomUUID()
    ids.set(ctx, id)
    return { id, action, method: ctx.method, route: path, source: address ?? 'unknown', ...(via && { via }) }
  }

  async function send(): Promise<boolean> {
    if (lost > 0) {
      log.error({ count: lost }, 'entries of the audit were lost: too many waited for auth')
      lost = 0
    }
    const batch = waiting.slice(0, AUDIT_BATCH)
    if (batch.length === 0) return false
    // An entry that auth refuses must not hold back the others: each is then sent alone.
    if ((await refusalOf(batch)) !== null) {
      for (const entry of batch) {
        const error = await refusalOf([entry])
        const { request_id, action } = entry
        if (error !== null) log.error({ error, request_id, action }, 'auth refused an entry of the audit; it is lost')
      }
    }
    waiting = waiting.slice(batch.length)
    return waiting.length > 0
  }
  // Null where auth has stored the entries. Throws what may pass.
  async function refusalOf(entries: Noted[]): Promise<unknown> {
    try {
      await call('audit.note', { entries }, { timeoutMs: SEND_MS })
      return null
    } catch (error) {
      if (refusalCode(error) === 'invalid_request') return error
      throw error
    }
  }
  const onError = (error: unknown) => log.warn({ error, count: waiting.length }, 'entries of the audit wait for auth')
  const worker = startWorker({ pollMs: POLL_MS, round: send, onError })

  return {
    callOf,
    note(ctx, tried, operator, error) {
      if (waiting.length >= (operator === null ? STRANGERS_MAX : WAITING_MAX)) {
        lost += 1
        return
      }
      const code = refusalCode(error) ?? 'server_error'
      const isFailed = statusOf[code] >= 500
      waiting.push({
        ...auditHead(callOf(ctx, tried), operator, new Date()),
        request_id: ctx.state.requestId,
        shop_id: tried.shopId ?? null,
        object_id: tried.objectId !== undefined && isUuid(tried.objectId) ? tried.objectId.toLowerCase() : null,
        outcome: isFailed ? 'failed' : 'refused',
        code: isFailed ? null : code,
        changes: '{}',
      })
      worker.wake()
    },
    async stop() {
      await worker.stop()
      while (await send().catch(() => false));
    },
  }
}
