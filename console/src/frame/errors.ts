// What the page says of a call that failed: what, why, what next, and the id of the request.
import { StorefrontError } from '../../../clients/typescript/src/client.ts'
import { words } from '../words/en.ts'

export type Problem = {
  /** `refused`: the role may not; `missing`: there is no such object; `failed`: everything else. */
  kind: 'refused' | 'missing' | 'failed'
  title: string
  why: string
  requestId: string | null
  /** The field of the body that is at fault, by the name of the API. */
  param: string | null
}

/** What the page itself refuses about a field of a form. */
export class FieldProblem extends Error {
  readonly param: string
  constructor(param: string, message: string) {
    super(message)
    this.param = param
  }
}

export function problemOf(error: unknown): Problem {
  // What the page itself refuses.
  const own = { requestId: null, param: null }
  if (typeof error === 'string') return { kind: 'refused', title: words.problem.refused, why: error, ...own }
  if (error instanceof FieldProblem) {
    return { kind: 'refused', title: words.problem.refused, why: error.message, requestId: null, param: error.param }
  }
  if (!(error instanceof StorefrontError)) {
    return { kind: 'failed', title: words.problem.page, why: String(error), ...own }
  }
  const { code, requestId, message, param } = error
  const shown = { why: message, requestId, param }
  if (code === 'forbidden') return { kind: 'refused', title: words.problem.refused, ...shown }
  if (code === 'not_found') return { kind: 'missing', title: words.problem.missing, ...shown }
  if (code === 'unreachable')
    return { kind: 'failed', title: words.problem.unreachable, why: words.problem.network, requestId, param: null }
  return { kind: 'failed', title: words.problem.failed, ...shown }
}
