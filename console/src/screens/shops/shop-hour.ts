// The last hour of a shop, from the use of its keys, and what makes an endpoint one in trouble. Pure.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Minute } from '../../parts/minutes.tsx'

export type Endpoint = BackOfficeSchemas['WebhookEndpoint']
export type Usage = BackOfficeSchemas['Usage']
export type Hour = {
  calls: number
  /** Those that were not answered 2xx. */
  failed: number
  /** Oldest first; the refused part of each is what was not answered 2xx. */
  minutes: readonly Minute[]
}

const MINUTE_MS = 60_000

/** `now` ends the last of the `length` minutes. */
export function hourOf(usage: readonly Usage[], length: number, now: Date): Hour {
  const last = Math.floor(now.getTime() / MINUTE_MS)
  const minutes = Array.from({ length }, () => ({ calls: 0, refused: 0 }))
  for (const { minute, calls, answers } of usage) {
    const one = minutes[Date.parse(minute) / MINUTE_MS - last + length - 1]
    if (one === undefined) continue
    one.calls += calls
    one.refused += calls - answers['2xx']
  }
  const sum = (pick: (minute: Minute) => number) => minutes.reduce((total, minute) => total + pick(minute), 0)
  return { calls: sum(({ calls }) => calls), failed: sum(({ refused }) => refused), minutes }
}

/** Failing, or turned off by the product; one that a person has paused is not. */
export function isInTrouble({ enabled, failingSince, disabledReason }: Endpoint): boolean {
  return enabled ? failingSince !== null : disabledReason !== 'manual'
}
