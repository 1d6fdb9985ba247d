// What the screen knows about agents. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Tone } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'

export type Agent = BackOfficeSchemas['AgentGrant']

/** `live`, or why the access has ended. */
export function stateOf({ endedReason, expiresAt }: Agent, now: Date): string {
  return endedReason ?? (Date.parse(expiresAt) <= now.getTime() ? 'expired' : 'live')
}

export function toneOf(state: string): Tone {
  if (state === 'live') return 'ok'
  return state === 'reuse' ? 'warn' : 'off'
}

/** Who says that the client is the one that it says it is. */
export function identityOf({ client: { id, registration } }: Agent): string {
  const host = registration === 'document' ? URL.parse(id)?.host : undefined
  return host === undefined ? words.agents.notVerified : words.agents.verified(host)
}
