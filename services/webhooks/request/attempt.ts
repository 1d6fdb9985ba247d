// Owns one attempt as a whole: the secrets that are valid now, the signature, the request. states-and-events.md 2 to 4.
import type { KeyObject } from 'node:crypto'
import type { Tracing } from '#telemetry/tracing'
import type { AttemptReason } from '#contracts/objects/webhook'
import { type Wire, post } from './post.ts'
import type { Answer } from '../delivery/retry.ts'
import { openSecret } from '../endpoints/secret.ts'
import { headersOf } from './signature.ts'
import type { Target } from '../tables.ts'
import { tracedAttempt } from './traced-attempt.ts'

export type Sender = { wire: Wire; keys: KeyObject[]; tracing?: Tracing | undefined }
/** `nowMs` is the database's clock: a worker whose own is wrong signs right all the same. */
export type Sent = {
  target: Target
  eventId: string
  body: string
  attempt: number
  reason: AttemptReason
  nowMs: number
  signal: AbortSignal
}

/** Sends the event once; gives what came back. Throws only when a secret cannot be opened. */
export function attempt({ wire, keys, tracing }: Sender, sent: Sent): Promise<Answer> {
  const { target, eventId, attempt, reason, nowMs, signal } = sent
  const body = Buffer.from(sent.body)
  const message = { id: eventId, stampS: Math.floor(nowMs / 1_000), body, attempt, reason }
  const headers = headersOf(message, secretsOf(target, keys, nowMs))
  const send = () => post(wire, { url: target.url, headers, body, signal })
  return tracing === undefined ? send() : tracedAttempt(tracing, sent, send)
}

function secretsOf(target: Target, keys: KeyObject[], nowMs: number): Buffer[] {
  const secrets = [openSecret({ sealed: target.secret, keyId: target.secret_key_id }, target.id, keys)]
  const { old_secret, old_secret_key_id, old_secret_until } = target
  if (
    old_secret !== null &&
    old_secret_key_id !== null &&
    old_secret_until !== null &&
    old_secret_until.getTime() > nowMs
  ) {
    secrets.push(openSecret({ sealed: old_secret, keyId: old_secret_key_id }, target.id, keys))
  }
  return secrets
}
