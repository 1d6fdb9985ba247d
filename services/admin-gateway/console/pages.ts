// Serves the console from memory: its page to a browser at each of its addresses, and its files. Every other caller of these addresses
// is answered as by the API. docs/spec/console.md#safe, docs/spec/console.md#serving
import { createHash } from 'node:crypto'
import type { ServiceContext } from '#runtime/service'
import { html } from '#html/html'
import { keepCompressed } from '#http/compression'
import type { GatewayContext, GatewayMiddleware } from '#http/exchange'
import { answer } from '#http/respond'
import type { ConsoleFile, ConsoleFiles } from './files.ts'

const ASSETS = '/assets/'
const yearS = 31_536_000
/** Everything from this host; no inline script, no eval, no frame around it. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:", // The empty icon, which keeps browsers from requesting /favicon.ico.
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')
const safety = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

/** Answers what is the console's before any operator is asked for. */
export function consolePages(context: Pick<ServiceContext, 'settings'>, files: ConsoleFiles): GatewayMiddleware {
  let page: { body: Buffer; etag: string } | undefined
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
    const asset = ctx.path.startsWith(ASSETS) ? files.assets.get(ctx.path.slice(ASSETS.length)) : undefined
    if (asset !== undefined) return answerAsset(ctx, asset)
    if (!isConsolePath(ctx.path)) return next()
    ctx.vary('accept')
    if (ctx.accepts('json', 'html') !== 'html') return next()
    page ??= pageOf(files.page, context) // At the first request, when all ports are known.
    await answerPage(ctx, page)
  }
}

/** Whether a path is one of the console's addresses. */
export function isConsolePath(path: string): boolean {
  return /^\/(|sign-in|(operators|audit)(\/.*)?|reference(\/.*)?|connect\/.+|s\/.+)$/.test(path)
}

async function answerAsset(ctx: GatewayContext, { name, type, bytes, brotli }: ConsoleFile): Promise<void> {
  ctx.state.route = `${ASSETS}{file}`
  ctx.set({
    ...safety,
    'content-type': type,
    'cache-control': `public, max-age=${yearS}, immutable`,
    etag: `W/"${name}"`, // Weak: it is the same for all codings.
  })
  ctx.vary('accept-encoding')
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  if (ctx.acceptsEncodings('br', 'identity') !== 'br') return answer(ctx, bytes)
  ctx.set('content-encoding', 'br')
  ctx.body = brotli
}

async function answerPage(ctx: GatewayContext, { body, etag }: { body: Buffer; etag: string }): Promise<void> {
  ctx.state.route = '/{console}'
  ctx.set({ ...safety, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', etag })
  ctx.vary('accept-encoding')
  ctx.status = 200
  if (ctx.fresh) ctx.status = 304
  else await answer(ctx, body)
}

// What the page knows before it calls anything: docs/spec/console.md#serving.
function pageOf(text: string, { settings }: Pick<ServiceContext, 'settings'>): { body: Buffer; etag: string } {
  const { publicUrl, oidc, agentsAccess } = settings
  const facts = JSON.stringify({ publicUrl, signInByOpenId: oidc !== null, agentsSignIn: agentsAccess !== null })
  const meta = html`<meta name="storefront" content="${facts}">`.html
  const body = Buffer.from(text.replace(/<meta name="storefront"[^>]*>/, () => meta))
  keepCompressed(body)
  return { body, etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` }
}
