// What the page says of a call that failed: what, why, what next, and the id of the request.
import { StorefrontError } from '../../../clients/typescript/src/client.ts'
import { words } from '../words/en.ts'

export type Problem = {
  /** `refused`: the role may not; `missing`: there is no such object; `failed`: everything else. */
  kind: 'refused' | 'missing' | 'failed'
  title: string
  why: string
  requestId: string | null
}

export function problemOf(error: unknown): Problem {
  // What the page itself refuses.
  if (typeof error === 'string') return { kind: 'refused', title: words.problem.refused, why: error, requestId: null }
  if (!(error instanceof StorefrontError)) {
    return { kind: 'failed', title: words.problem.page, why: String(error), requestId: null }
  }
  const { code, requestId, message } = error
  const shown = { why: message, requestId }
  if (code === 'forbidden') return { kind: 'refused', title: words.problem.refused, ...shown }
  if (code === 'not_found') return { kind: 'missing', title: words.problem.missing, ...shown }
  if (code === 'unreachable')
    return { kind: 'failed', title: words.problem.unreachable, why: words.problem.network, requestId }
  return { kind: 'failed', title: words.problem.failed, ...shown }
}
