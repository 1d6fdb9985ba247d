// What the report of an import says in words: its name, its state and its counts.
import type { PaymentMethod } from '#contracts/objects/order'
import type { Tone } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'
import { formatWords } from './formats.ts'
import type { Import } from './run.ts'

const { imports: text } = words
export const paymentMethods = Object.keys({
  ...{ card: true, bank_transfer: true, cod: true, paypal: true, venmo: true, whatsapp: true },
  ...{ telegram: true, instagram: true, email: true, phone: true },
} satisfies Record<PaymentMethod, true>)
export const outcomes = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const

/** What an import is called: its format, once that is known. */
export function nameOf({ format, status }: Import): string {
  return format === null && (status === 'running' || status === 'queued') ? text.one : formatWords(format)
}

const tones: Record<string, Tone> = {
  queued: 'wait',
  running: 'wait',
  completed: 'ok',
  failed: 'warn',
  interrupted: 'warn',
}

export function toneOf({ status, failed }: Import): Tone {
  return status === 'completed' && failed > 0 ? 'wait' : (tones[status] ?? 'open')
}

/** The status, or what an import that was completed could not take. */
export function stateWords({ status, failed }: Import): string {
  return status === 'completed' && failed > 0 ? text.outcome(failed, text.did.failed) : status
}

/** The counts that are not zero, in words. */
export function outcomeWords(one: Import): string {
  const named = one.dryRun ? text.would : text.did
  const some = outcomes.filter((name) => one[name] > 0)
  return some.map((name) => text.outcome(one[name], named[name])).join(', ')
}
