// Refuses bodies that arrive too slowly, so that a stalled client does not hold what serves it (docs/spec/security.md#node-http). The server of
// the back office cannot do this itself: its only limit is the time for a whole file.
import type { ServerResponse } from 'node:http'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'

/** In each period of `everyMs` milliseconds that many bytes must arrive. */
export type Pace = { everyMs: number; bytes: number }

/** A JSON body is there within one period. */
export const wholePace: Pace = { everyMs: limits.bodyMs, bytes: Number.POSITIVE_INFINITY }

/** Rejects `slow` with invalid_request when the body falls behind; `received` returns the bytes so far. Call `stop` when the body has ended. */
export function watchBody(
  response: ServerResponse,
  { everyMs, bytes }: Pace,
  received: () => number = () => 0,
): { slow: Promise<never>; stop(): void } {
  const { promise: slow, reject } = Promise.withResolvers<never>()
  slow.catch(() => undefined) // The body may have ended by another way.
  let before = 0
  const timer = setInterval(() => {
    const now = received()
    if (now - before >= bytes) {
      before = now
      return
    }
    clearInterval(timer)
    if (!response.headersSent) response.setHeader('connection', 'close') // The server does not wait for the rest of the body.
    reject(refuse('invalid_request', 'The body took too long to arrive.'))
  }, everyMs)
  return { slow, stop: () => clearInterval(timer) }
}
