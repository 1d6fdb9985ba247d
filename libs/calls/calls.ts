// Owns the way from a gateway to a service: who asks and until when travels in the meta, breakers stand in between, and a
// read is asked once more when the first answer was an outage. Commands are never repeated here: only their caller knows
// whether that is safe.
import type { Call, ServiceContext } from '#runtime/service'
import type { ActionInput, ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { refusalCode } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { guarded } from './breaker.ts'
import { keepPages } from './page-cache.ts'

/**
 * `mailing` is for commands that may send a mail: it waits for the longest that a command may work. `batch` is for those that
 * carry many objects, from a caller who can wait. `slow` is for commands that send to a shop's own receiver and answer what it said.
 */
export type Calls = { read: Call; command: Call; mailing: Call; batch: Call; slow: Call }

const CALL_MS = 5_000 // The whole call; nobody waits longer for a page.
const RECEIVER_MS = 20_000 // An attempt takes up to 17 s; the rest is for the rows around it.
// A hundred objects, each in a transaction of its own, on a busy machine. A batch that is given up too early is asked again,
// and what had gone in meanwhile then counts as unchanged.
const BATCH_MS = 30_000
const ATTEMPT_MS = 2_400 // A first attempt that hangs leaves time for a second, which meets another replica.

/** Asking functions of a gateway, with `keepsPages` one that keeps pages (page-cache.ts); each refuses as the service does and throws anything else on an outage. */
export function openCalls(context: Pick<ServiceContext, 'call' | 'metrics'>, { keepsPages = false } = {}): Calls {
  const call = guarded(context.call, context.metrics)
  const read: Call = async (name, params, meta = {}) => {
    const deadline_at = deadlineOf(meta)
    try {
      return await call(name, params, { ...meta, deadline_at, timeoutMs: Math.min(ATTEMPT_MS, left(deadline_at)) })
    } catch (error) {
      if (!isOutage(error)) throw error
      return askAgain(call, name, params, meta, deadline_at)
    }
  }
  return {
    read: keepsPages ? keepPages(read, call, context.metrics) : read,
    command: (name, params, meta = {}) => {
      const deadline_at = deadlineOf(meta)
      return call(name, params, { ...meta, deadline_at, timeoutMs: left(deadline_at) })
    },
    mailing: (name, params, meta) =>
      call(name, params, { ...meta, deadline_at: Date.now() + limits.commandMs, timeoutMs: limits.commandMs }),
    batch: (name, params, meta) =>
      call(name, params, { ...meta, deadline_at: Date.now() + BATCH_MS, timeoutMs: BATCH_MS }),
    slow: (name, params, meta) =>
      call(name, params, { ...meta, deadline_at: Date.now() + CALL_MS, timeoutMs: RECEIVER_MS }),
  }
}

function askAgain<Name extends ActionName>(
  call: Call,
  name: Name,
  params: ActionInput<Name>,
  meta: CallMeta,
  deadline_at: number,
): Promise<unknown> {
  return call(name, params, { ...meta, deadline_at, timeoutMs: left(deadline_at) })
}

// A request that takes several calls brings the deadline of them all.
function deadlineOf({ deadline_at = Number.POSITIVE_INFINITY }: CallMeta): number {
  return Math.min(deadline_at, Date.now() + CALL_MS)
}

function left(deadlineAt: number): number {
  return Math.max(deadlineAt - Date.now(), 1)
}

function isOutage(error: unknown): boolean {
  const code = refusalCode(error)
  return code === null || code === 'server_error' || code === 'unavailable'
}
