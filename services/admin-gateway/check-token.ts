// The check of the back office's token: docs/spec/access.md#root-operator. A caller without it learns nothing, not even which paths
// exist, and has the failure budget of its source address (docs/spec/security.md#auth-failure-budget).
import { createHash, timingSafeEqual } from 'node:crypto'
import { openFailureBudget } from '#admission/failure-budget'
import { guarded } from '#calls/breaker'
import { refuse } from '#contracts/errors'
import { openSources } from '#http/client-address'
import type { GatewayContext } from '#http/exchange'
import type { ServiceContext } from '#runtime/service'

/** Gives the check of a request. It refuses unauthorized, and rate_limited where the source failed too often. */
export function tokenCheck(context: ServiceContext): (ctx: GatewayContext) => Promise<void> {
  const { adminToken, adminTokenPrevious, trustedProxies, authFailuresPerMinute } = context.settings
  if (adminToken === null) throw new Error('ADMIN_TOKEN is not set.')
  const accepted = [adminToken, adminTokenPrevious].filter((token) => token !== null).map(digestOf)
  const sourceOf = openSources(trustedProxies)
  const call = guarded(context.call, context.metrics)
  const failures = openFailureBudget({ call, failuresMax: authFailuresPerMinute })
  return async ({ req }) => {
    const given = digestOf(/^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1] ?? '')
    // Digests have one length, and each is compared, so that the comparison takes one time.
    if (accepted.filter((digest) => timingSafeEqual(digest, given)).length > 0) return
    const waitMs = await failures.fail(sourceOf(req.socket.remoteAddress, req.headers['x-forwarded-for']))
    if (waitMs === 0) {
      throw refuse('unauthorized', 'Send the back-office token: Authorization: Bearer <ADMIN_TOKEN>.')
    }
    const waitS = Math.max(1, Math.ceil(waitMs / 1_000))
    const message = `Too many failed authentications from this address. Check the token, then try again in ${waitS} s.`
    throw refuse('rate_limited', message, { retry_after_s: waitS })
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
