// What the screen knows about webhook endpoints. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Tone } from '../../parts/status.tsx'

export type Endpoint = BackOfficeSchemas['WebhookEndpoint']
export type EndpointWithSecret = BackOfficeSchemas['WebhookEndpointWithSecret']
export type Attempt = BackOfficeSchemas['WebhookAttempt']
export type Delivery = BackOfficeSchemas['WebhookDelivery']
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

export type Health = { attempts: number; succeeded: number; p95Ms: number | null }

/** Of the attempts of these deliveries. */
export function healthOf(deliveries: readonly Delivery[]): Health {
  const attempts = deliveries.flatMap((delivery) => delivery.attempts)
  const durations = attempts.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b)
  const p95Ms = durations[Math.max(0, Math.ceil(durations.length * 0.95) - 1)] ?? null
  return { attempts: attempts.length, succeeded: attempts.filter(hasSucceeded).length, p95Ms }
}

export function hasSucceeded({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}
