// The header Idempotency-Key of a request (docs/spec/back-office.md#idempotency-key, docs/spec/rest-api.md#idempotency-key).
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { CallMeta } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'

/**
 * The key, and the fingerprint by which the service tells a repeated request from another one with the same key. `path` in one
 * spelling. Undefined without the header. Refuses invalid_request.
 */
export function idempotencyOf(
  { headers, method = '' }: IncomingMessage,
  path: string,
  body: Buffer,
): CallMeta['idempotency'] {
  const { 'idempotency-key': header } = headers
  if (header === undefined) return undefined
  const key = Array.isArray(header) ? header.join(', ') : header
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > limits.idempotencyKeyLengthMax) {
    const words = `Idempotency-Key must be 1 to ${limits.idempotencyKeyLengthMax} printable ASCII characters.`
    throw refuse('invalid_request', words, { field: 'Idempotency-Key' })
  }
  const fingerprint = createHash('sha256').update(`${method} ${path}\n`).update(body).digest('base64url')
  return { key, fingerprint }
}
