// The answer where no route matches: 405 with `Allow` for a known path with another method, else 404
// (docs/spec/rest-api.md#unknown-paths).
import type { RouterContext } from '@koa/router'
import { refuse } from '#contracts/errors'
import type { Exchange, GatewayContext, GatewayMiddleware } from './exchange.ts'

/** The innermost middleware; `admit` refuses callers who may not learn which paths exist. */
export function notFound(admit: (ctx: GatewayContext) => Promise<void>): GatewayMiddleware {
  return async (ctx) => {
    await admit(ctx)
    const methods = (ctx as RouterContext<Exchange>).matched?.flatMap((layer) => layer.methods) ?? []
    if (methods.length > 0) {
      const allow = [...new Set(methods)].sort().join(', ')
      throw refuse('method_not_allowed', `This path answers ${allow} only.`, { allow })
    }
    if (!isDecodable(ctx.path)) throw refuse('invalid_request', 'The path is not valid percent-encoded UTF-8.')
    throw refuse('not_found', 'There is nothing at this path.')
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false // Refused by the caller.
  }
}
