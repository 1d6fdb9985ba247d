// The rules of agents' access: digests of their secrets, when a grant is over, and where a client is sent back to.
// docs/spec/agents-access.md#grants, docs/spec/agents-access.md#tokens
import type { KeyObject } from 'node:crypto'
import { noteKeyUse } from '#config/derive-key'
import { digestsOf, matchingDigest } from '../keys/key.ts'
import type { AgentGrantRow } from '../tables.ts'

/** The digests of tokens, codes and one-time values, in this one place. */
export type AgentDigests = {
  /** The keys of the digests, in the order of `toFind`. */
  keys: readonly KeyObject[]
  /** The digest under which a new secret is stored. */
  toStore(secret: string): Buffer
  /** Those under which it is looked up: also under the next key, and under those before. */
  toFind(secret: string): Buffer[]
  /** Notes under which key a secret was found. */
  found(secret: string, digest: Buffer): void
}

/** `keys`: that of new digests first. */
export function agentDigests(keys: KeyObject[]): AgentDigests {
  return {
    keys,
    found(secret, digest) {
      const key = keys[matchingDigest(digest, digestsOf(secret, keys))]
      if (key !== undefined) noteKeyUse(key)
    },
    toStore(secret) {
      const [digest] = digestsOf(secret, keys)
      if (digest === undefined) throw new Error('A secret needs a key to be stored under.')
      return digest
    },
    toFind: (secret) => digestsOf(secret, keys),
  }
}

/** The end of a grant and its reason; null while it is live. */
export function endOf(row: Pick<AgentGrantRow, 'ended_at' | 'ended_reason' | 'expires_at'>, now: Date) {
  if (row.ended_at !== null && row.ended_reason !== null) return { at: row.ended_at, reason: row.ended_reason }
  return row.expires_at <= now ? { at: row.expires_at, reason: 'expired' as const } : null
}

/** Whether a text has the form of the id of a request; no request has another one. */
export function isRequestId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text)
}

/** The host of a redirect URI as a person reads it: with the port, where the URI names one. */
export function redirectHostOf(uri: string): string {
  return URL.parse(uri)?.host ?? ''
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Whether the redirect leads to the machine of the browser. */
export function isLoopback(uri: string): boolean {
  return LOOPBACK.includes(URL.parse(uri)?.hostname ?? '')
}
