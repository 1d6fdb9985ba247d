// Owns what a gateway says where no line of its table answers: a known path with another method, or no such path.
// Spec: Errors (not_found). 405 names the methods in `Allow`; both only for a caller who may know what is here.
import { refuse } from '#contracts/errors'
import type { GatewayContext, GatewayMiddleware } from './exchange.ts'

type RoutedContext = GatewayContext & { matched?: { methods: string[] }[] }

/** The innermost middleware; `admit` refuses callers who may not know. */
export function nothingHere(admit: (ctx: GatewayContext) => Promise<void>): GatewayMiddleware {
  return async (ctx) => {
    await admit(ctx)
    const methods = (ctx as RoutedContext).matched?.flatMap((layer) => layer.methods) ?? []
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
