// What the screen knows about webhook endpoints. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Tone } from '../../parts/status.tsx'

export type Endpoint = BackOfficeSchemas['WebhookEndpoint']
export type EndpointWithSecret = BackOfficeSchemas['WebhookEndpointWithSecret']
export type EndpointState = 'on' | 'failing' | 'waiting' | 'manual' | 'gone' | 'disabled'

const tones: Record<EndpointState, Tone> = {
  on: 'ok',
  failing: 'warn',
  waiting: 'wait',
  manual: 'off',
  gone: 'off',
  disabled: 'off',
}

export function stateOf(endpoint: Endpoint, now: Date): EndpointState {
  const { enabled, disabledReason, failingSince, pausedUntil } = endpoint
  if (!enabled) return disabledReason === 'manual' || disabledReason === 'gone' ? disabledReason : 'disabled'
  if (pausedUntil !== null && Date.parse(pausedUntil) > now.getTime()) return 'waiting'
  return failingSince === null ? 'on' : 'failing'
}

export function toneOf(state: EndpointState): Tone {
  return tones[state]
}
