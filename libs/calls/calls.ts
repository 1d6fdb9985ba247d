// Calls from a gateway to the services. Deadline and caller travel in the meta, every call passes the circuit breaker of its action,
// and a read is called once more when the first attempt was an outage (docs/spec/internals.md#deadlines). A command is repeated only
// under an Idempotency-Key, by which its caller says that this is safe (repeat-calls.ts).
import type { CallMeta } from '#contracts/caller'
import { isServerFault, refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isWholePage } from '#contracts/page-result'
import type { Call, ServiceContext } from '#runtime/service'
import { guarded } from './breaker.ts'
import { wholePages } from './large-page.ts'
import { cachePages } from './page-cache.ts'

/**
 * The kinds of calls, by how long the caller waits. `commandWithMail`: commands that may send a mail. `batch`: commands with many objects.
 * `receiverCall`: commands that send a request to a shop's own receiver and answer with its response.
 */
export type Calls = { read: Call; command: Call; commandWithMail: Call; batch: Call; receiverCall: Call }

const CALL_MS = 5_000 // The whole call, attempts included.
const ATTEMPT_MS = 2_400 // A first attempt that hangs leaves time for a second, which reaches another replica.
const RECEIVER_MS = 20_000 // An attempt takes up to 17 s; the rest is for the statements around it.
// A hundred objects, each in a transaction of its own, on a busy machine. A batch that is given up too early is sent again, and what
// was written by then counts as unchanged.
const BATCH_MS = 30_000

/**
 * The calls of a gateway; with `cachesPages` reads of lists go through the page cache. Each rejects with a `Refusal`, or with any other
 * error on an outage. A read of a list returns the bytes of its page, or a `LargePage` where it is too large for one response.
 */
export function openCalls(context: Pick<ServiceContext, 'call' | 'metrics'>, { cachesPages = false } = {}): Calls {
  const call = guarded(context.call, context.metrics)
  const read: Call = async (name, params, meta = {}) => {
    const deadline_at = deadlineOf(meta)
    const attempt = (timeoutMs: number) => call(name, params, { ...meta, is_read: true, deadline_at, timeoutMs })
    try {
      return await attempt(Math.min(ATTEMPT_MS, timeLeft(deadline_at)))
    } catch (error) {
      if (!isServerFault(error)) throw error
    }
    return attempt(timeLeft(deadline_at)).catch((error: unknown) => {
      throw isTimeout(error) ? refuse('unavailable', `${name} was not answered in time.`) : error
    })
  }
  const within =
    (deadlineMs: number, timeoutMs = deadlineMs): Call =>
    (name, params, meta) =>
      call(name, params, { ...meta, deadline_at: Date.now() + deadlineMs, timeoutMs })
  const readPage = cachesPages ? cachePages(wholePages(read), call, context.metrics) : wholePages(read)
  const command: Call = (name, params, meta = {}) => {
    const deadline_at = deadlineOf(meta)
    return call(name, params, { ...meta, deadline_at, timeoutMs: timeLeft(deadline_at) })
  }
  const withMail = within(limits.commandMs)
  return {
    read: async (...work) => {
      const response = await readPage(...work)
      return isWholePage(response) ? response.body : response
    },
    command,
    commandWithMail: (name, params, meta) => (sendsMail(name, params) ? withMail : command)(name, params, meta),
    batch: within(BATCH_MS),
    receiverCall: within(CALL_MS, RECEIVER_MS),
  }
}

// A save of a contact sends one where it is asked to; the signup form always does.
function sendsMail(name: string, params: object): boolean {
  return name !== 'contacts.upsert' || ('send_opt_in' in params && params.send_opt_in === true)
}

// A request that makes several calls brings one deadline for all of them.
function deadlineOf({ deadline_at = Number.POSITIVE_INFINITY }: CallMeta): number {
  return Math.min(deadline_at, Date.now() + CALL_MS)
}

function timeLeft(deadlineAt: number): number {
  return Math.max(deadlineAt - Date.now(), 1)
}

function isTimeout(error: unknown): boolean {
  return (error as { type?: unknown } | null)?.type === 'REQUEST_TIMEOUT'
}
