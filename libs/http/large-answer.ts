// Answers that are more than a connection takes at once: sent in pieces as the reader takes them, so that it can be seen whether it reads
// and little waits for it (docs/spec/integrators.md#bounds).
import { Readable } from 'node:stream'
import type { GatewayContext } from './exchange.ts'
import { answer } from './respond.ts'
import type { SlowReaders } from './slow-readers.ts'

const PIECE_BYTES = 64 * 1024
/** Up to here an answer is one piece. */
const ONE_PIECE_BYTES = 256 * 1024

/** Answers with a finished body of any size. */
export function answerAny(ctx: GatewayContext, body: Buffer, readers: SlowReaders, status = 200): void {
  if (body.length <= ONE_PIECE_BYTES) return answer(ctx, body, status)
  answerInParts(ctx, [body], readers, { status })
  ctx.length = body.length
}

/**
 * Answers with parts that are asked for one by one. `alsoHeld` gives how many bytes wait besides the part that is being sent; with it
 * they count for the process only, because whoever gives it lets one such answer of a shop pass at a time.
 */
export function answerInParts(
  ctx: GatewayContext,
  parts: Iterable<Buffer> | AsyncIterable<Buffer>,
  readers: SlowReaders,
  { status = 200, alsoHeld }: { status?: number; alsoHeld?: () => number } = {},
): void {
  let left = 0
  async function* pieces() {
    for await (const part of parts) {
      for (let at = 0; at < part.length; at += PIECE_BYTES) {
        left = part.length - at
        yield part.subarray(at, at + PIECE_BYTES)
      }
      left = 0
    }
  }
  ctx.status = status
  ctx.body = Readable.from(pieces(), { objectMode: false, highWaterMark: 1 })
  const owner = alsoHeld === undefined ? (ctx.state.caller?.keyId ?? null) : null
  readers.hold(ctx.res, owner, () => left + (alsoHeld?.() ?? 0))
}
