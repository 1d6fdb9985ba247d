// The errors that a call or the verification of a webhook throws.

type Facts = {
  status: number | null
  requestId: string | null
  param?: string | null
  doc?: string | null
  cause?: unknown
}

/** A call that was refused, or that got no answer of the API. */
export class StorefrontError extends Error {
  override name = 'StorefrontError'
  /**
   * The code of the API, such as `invalid_request`, `not_found` or `rate_limited`; `unreachable` where no answer came, and
   * `unexpected_answer` where something else answered.
   */
  readonly code: string
  /** The HTTP status; null where no answer came. */
  readonly status: number | null
  /** The `x-request-id` of the answer, which names the call in the logs of the service. */
  readonly requestId: string | null
  /** The field or query parameter at fault. */
  readonly param: string | null
  /** The path of the page that explains the error. */
  readonly doc: string | null

  constructor(code: string, message: string, { status, requestId, param = null, doc = null, cause }: Facts) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.status = status
    this.requestId = requestId
    this.param = param
    this.doc = doc
  }
}

/** A webhook that must not be trusted. */
export class WebhookError extends Error {
  override name = 'WebhookError'
  readonly code: 'missing_header' | 'wrong_timestamp' | 'wrong_signature'

  constructor(code: WebhookError['code'], message: string) {
    super(message)
    this.code = code
  }
}
