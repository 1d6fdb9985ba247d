// Compresses the bodies of answers by brotli or gzip, whichever the client prefers (docs/spec/rest-api.md#compression, levels and secrets:
// docs/decisions/0025-compressed-answers.md). Bodies that stay in memory, such as pages of the page cache, keep their compressed forms.
import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib'
import type { GatewayContext } from './exchange.ts'

type Coding = keyof typeof coders
type Coder = {
  atOnce(body: Buffer): Buffer
  aside(body: Buffer): Promise<Buffer>
  asStream(): NodeJS.ReadWriteStream
}
type Kept = { forms: Map<Coding, Promise<Buffer>>; onMore(bytes: number): void }

/** Smaller bodies hardly get smaller. */
const PLAIN_BYTES = 1_024
/** Up to here compressing takes less time than another thread costs, and delays other requests by less than a millisecond. */
const AT_ONCE_BYTES = 64 * 1_024
/** About what a compressor of a stream has in memory. */
const COMPRESSOR_BYTES = 1_024 * 1_024

const gzipOptions = { level: 6 }
// With the default window of 4 MB each answer would hold 3 MB while it is sent.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } }

const brotliAside = promisify(brotliCompress)
const gzipAside = promisify<Buffer, object, Buffer>(gzip)
const coders = {
  br: {
    atOnce: (body) => brotliCompressSync(body, brotliOptions),
    aside: (body) => brotliAside(body, brotliOptions),
    asStream: () => createBrotliCompress(brotliOptions),
  },
  gzip: {
    atOnce: (body) => gzipSync(body, gzipOptions),
    aside: (body) => gzipAside(body, gzipOptions),
    asStream: () => createGzip(gzipOptions),
  },
} as const satisfies Record<string, Coder>

const kept = new WeakMap<Buffer, Kept>()

/** Keeps the compressed forms of a body as long as the body is kept; `onMore` is told the bytes of each. */
export function keepCompressed(body: Buffer, onMore: Kept['onMore'] = () => undefined): void {
  kept.set(body, { forms: new Map(), onMore })
}

/** The bytes to answer with instead of a finished body; sets the headers that say how they are encoded. */
export async function encodedBody(ctx: GatewayContext, body: Buffer): Promise<Buffer> {
  const coding = codingFor(ctx, body.length)
  if (coding === null) return body
  const encoded = await compressed(body, coding)
  ctx.res.setHeader('content-encoding', coding)
  return encoded
}

/** The same for a body that is made while it is sent. `compressorBytes` is what compressing it takes in memory. */
export function encodedStream(
  ctx: GatewayContext,
  body: Readable,
): { body: NodeJS.ReadableStream; compressorBytes: number } {
  const coding = codingFor(ctx, Number.POSITIVE_INFINITY)
  if (coding === null) return { body, compressorBytes: 0 }
  ctx.res.setHeader('content-encoding', coding)
  if (ctx.method === 'HEAD') return { body, compressorBytes: 0 } // Nothing reads it.
  // A failure of either side destroys both, and closes the connection before the end of the body.
  return { body: pipeline(body, coders[coding].asStream(), () => undefined), compressorBytes: COMPRESSOR_BYTES }
}

// Null: as it is, because it shows a secret, is compressed already, or is too small. A client that accepts nothing of what there is gets the body as it is too (RFC 9110, 12.5.3).
function codingFor(ctx: GatewayContext, bytes: number): Coding | null {
  if (ctx.state.showsSecret === true || ctx.res.hasHeader('content-encoding')) return null
  ctx.vary('accept-encoding')
  if (ctx.req.headers['accept-encoding'] === undefined) return null
  const preferred = ctx.acceptsEncodings('br', 'gzip', 'identity')
  if (preferred !== 'br' && preferred !== 'gzip') return null
  return bytes > PLAIN_BYTES || ctx.acceptsEncodings('identity') === false ? preferred : null
}

async function compressed(body: Buffer, coding: Coding): Promise<Buffer> {
  const known = kept.get(body)
  if (known === undefined) return compress(body, coding)
  const { forms, onMore } = known
  const form = forms.get(coding)
  if (form !== undefined) return form
  const made = compress(body, coding)
  forms.set(coding, made)
  try {
    onMore((await made).length)
  } catch (error) {
    forms.delete(coding)
    throw error
  }
  return made
}

async function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  return body.length <= AT_ONCE_BYTES ? coders[coding].atOnce(body) : coders[coding].aside(body)
}
