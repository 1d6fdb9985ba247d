// What the screen knows about keys. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Minute } from '../../parts/minutes.tsx'
import type { Tone } from '../../parts/status.tsx'

export type Key = BackOfficeSchemas['ApiKey']
export type NewKey = BackOfficeSchemas['NewApiKey']
export type Usage = BackOfficeSchemas['Usage']
export type KeyState = 'live' | 'expired' | 'revoked'

/** Calls that a key may make in a minute: docs/spec/rest-api.md#rate-limit. */
export const BUDGET = 240
/** How far back the screen looks. */
export const MINUTES = 60
const MINUTE_MS = 60_000

export function stateOf({ revokedAt, expiresAt }: Key, now: Date): KeyState {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= now.getTime() ? 'expired' : 'live'
}

export function toneOf(state: KeyState): Tone {
  return state === 'live' ? 'ok' : 'off'
}

/** One entry a minute, oldest first, up to the minute of `now`; a minute without calls is zero. */
export function minutesOf(usage: readonly Usage[], keyId: string, now: Date): Minute[] {
  const last = Math.floor(now.getTime() / MINUTE_MS)
  const known = new Map(
    usage.filter((row) => row.keyId === keyId).map((row) => [Date.parse(row.minute) / MINUTE_MS, row]),
  )
  return Array.from({ length: MINUTES }, (_, index) => {
    const row = known.get(last - MINUTES + 1 + index)
    return { calls: row?.calls ?? 0, refused: row?.refused ?? 0 }
  })
}

export function sumOf(minutes: readonly Minute[]): Minute {
  return minutes.reduce((sum, { calls, refused }) => ({ calls: sum.calls + calls, refused: sum.refused + refused }), {
    calls: 0,
    refused: 0,
  })
}

/** Address ranges as a person types them: by commas, spaces or lines. Null for none. */
export function sourcesOf(text: string): string[] | null {
  const sources = text.split(/[\s,]+/).filter((one) => one !== '')
  return sources.length === 0 ? null : sources
}
