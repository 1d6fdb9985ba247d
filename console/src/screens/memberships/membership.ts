// The membership as the back office answers it, and what several screens say of it.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { moneyWords } from '../../parts/money.ts'
import type { Tone } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'

export type Membership = BackOfficeSchemas['Subscription']

const tones: Record<string, Tone> = {
  trialing: 'open',
  active: 'ok',
  past_due: 'warn',
  canceled: 'off',
  incomplete: 'wait',
  unpaid: 'warn',
}

export function statusTone({ status }: Membership): Tone {
  return tones[status] ?? 'open'
}

/** What is paid each interval. */
export function priceWords({ price, interval }: Membership): string {
  return words.memberships.each(moneyWords(price), interval)
}

/** docs/spec/subscription-states.md#access-rule */
export function hasAccess({ status, currentPeriodEnd }: Membership, now: Date): boolean {
  if (['trialing', 'active', 'past_due'].includes(status)) return true
  return currentPeriodEnd !== null && new Date(currentPeriodEnd) > now
}
