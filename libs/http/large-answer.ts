// Answers that are more than a connection takes at once: sent in pieces as the reader takes them, so that it can be seen whether it reads
// and little waits for it (docs/spec/rest-api.md#unread-answers).
import { Readable } from 'node:stream'
import { encodedBody, encodedStream } from './compression.ts'
import type { GatewayContext } from './exchange.ts'
import type { SlowReaders } from './slow-readers.ts'

const PIECE_BYTES = 64 * 1024
/** Up to here an answer is one piece. */
const ONE_PIECE_BYTES = 256 * 1024

/** Answers with a finished body of any size, compressed where the client accepts that. */
export async function answerAny(ctx: GatewayContext, body: Buffer, readers: SlowReaders, status = 200): Promise<void> {
  const encoded = await encodedBody(ctx, body)
  ctx.status = status
  if (encoded.length <= ONE_PIECE_BYTES) {
    ctx.body = encoded
    return
  }
  const { source, left } = piecesOf([encoded])
  ctx.body = source
  ctx.length = encoded.length
  readers.hold(ctx.res, ownerOf(ctx), left)
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
  const { source, left } = piecesOf(parts)
  const { body, compressorBytes } = encodedStream(ctx, source)
  ctx.status = status
  ctx.body = body
  const owner = alsoHeld === undefined ? ownerOf(ctx) : null
  readers.hold(ctx.res, owner, () => {
    const held = left() + (alsoHeld?.() ?? 0)
    return held === 0 ? 0 : held + compressorBytes // An answer that waits for its next part does not wait for its reader.
  })
}

function ownerOf({ state }: GatewayContext): string | null {
  return state.caller?.keyId ?? null
}

/** A stream of the parts; `left` gives how many bytes of a part are not taken yet. */
function piecesOf(parts: Iterable<Buffer> | AsyncIterable<Buffer>): { source: Readable; left: () => number } {
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
  return { source: Readable.from(pieces(), { objectMode: false, highWaterMark: 1 }), left: () => left }
}
