// Owns the reading of `Idempotency-Key`: what travels to the service that does the work and keeps its answer.
// Back office: Conventions. The fingerprint tells the same request from another one under the same key.
import { createHash } from 'node:crypto'
import type { CallMeta } from '#contracts/caller'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'

type Request = { header: string | undefined; method: string; path: string; body: Buffer }

/** Undefined without the header. Refuses invalid_request for a key that is not 1 to 255 printable ASCII characters. */
export function idempotencyOf({ header, method, path, body }: Request): CallMeta['idempotency'] {
  if (header === undefined) return undefined
  if (!/^[\x20-\x7e]+$/.test(header) || header.length > limits.idempotencyKeyLengthMax) {
    const words = `Idempotency-Key must be 1 to ${limits.idempotencyKeyLengthMax} printable ASCII characters.`
    throw refuse('invalid_request', words, { field: 'Idempotency-Key' })
  }
  const fingerprint = createHash('sha256').update(`${method} ${path}\n`).update(body).digest('base64url')
  return { key: header, fingerprint }
}
