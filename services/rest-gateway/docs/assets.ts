// The style sheet and the scripts of the reference pages. Their address holds a digest of all of them, so that a browser may keep them
// for ever. Scalar is kept compressed (docs/decisions/0024-reference-bundle.md).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { GatewayContext } from '#http/exchange'
import { answerAny } from '#http/large-answer'
import type { SlowReaders } from '#http/slow-readers'

type Asset = { name: string; type: string; bytes: Buffer; isCompressed: boolean }

const script = 'text/javascript; charset=utf-8'
const assets: readonly Asset[] = [
  styleSheet(),
  load('reference.js', script),
  { ...load('scalar.js.gz', script), name: 'scalar.js', isCompressed: true },
]
const digest = assets
  .reduce((hash, { bytes }) => hash.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 16)
const folder = `/docs/assets/${digest}`
const yearS = 31_536_000

/** Where a browser finds it. */
export function addressOf(name: 'docs.css' | 'reference.js' | 'scalar.js'): string {
  return `${folder}/${name}`
}

/** The routes of all of them. */
export function assetRoutes(readers: SlowReaders) {
  return assets.map((asset) => ({ path: `${folder}/${asset.name}`, answer: answerOf(asset, readers) }))
}

function answerOf({ name, type, bytes, isCompressed }: Asset, readers: SlowReaders) {
  let plain: Promise<Buffer> | null = isCompressed ? null : Promise.resolve(bytes)
  return async (ctx: GatewayContext) => {
    ctx.state.route = `/docs/assets/{digest}/${name}`
    ctx.set({
      'content-type': type,
      'cache-control': `public, max-age=${yearS}, immutable`,
      'x-content-type-options': 'nosniff',
      etag: `W/"${digest}"`, // Weak: it is the same for all codings.
    })
    if (isCompressed) ctx.vary('accept-encoding')
    ctx.status = 200
    if (ctx.fresh) {
      ctx.status = 304
      return
    }
    const sendsCompressed = isCompressed && ctx.acceptsEncodings('gzip') === 'gzip'
    if (sendsCompressed) ctx.set('content-encoding', 'gzip')
    plain ??= sendsCompressed ? null : promisify(gunzip)(bytes) // Once: anybody may ask without a key.
    await answerAny(ctx, sendsCompressed || plain === null ? bytes : await plain, readers)
  }
}

// The colours of the product, then the pages' own rules.
function styleSheet(): Asset {
  const sheet = load('docs.css', 'text/css; charset=utf-8')
  const tokens = readFileSync(join(import.meta.dirname, '../../../libs/html/tokens.css'))
  return { ...sheet, bytes: Buffer.concat([tokens, sheet.bytes]) }
}

function load(name: string, type: string): Asset {
  return { name, type, bytes: readFileSync(join(import.meta.dirname, 'assets', name)), isCompressed: false }
}
