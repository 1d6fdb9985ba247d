// Owns the words of a Shopify orders export: statuses and payment methods, and what they are here.
// import-formats.md, section 3, rows "Financial Status", "Fulfillment Status", "Payment Method". `disputed` never comes
// from a file. Null: a word that is none of these.
import type { OrderStatus, PaymentMethod, PaymentStatus } from '#contracts/objects/order'

export function paymentStatusOf(word: string | null): PaymentStatus | null {
  return paymentStatuses.get(word?.toLowerCase() ?? '') ?? null
}

/** `needsShipping`: some line does. */
export function statusOf(word: string | null, isCancelled: boolean, needsShipping: boolean): OrderStatus | null {
  if (isCancelled) return 'cancelled'
  switch (word?.toLowerCase() ?? '') {
    case 'fulfilled':
      return needsShipping ? 'shipped' : 'completed'
    case 'partial':
      return 'confirmed'
    case 'unfulfilled':
    case '':
      return 'new'
    default:
      return null
  }
}

/** Of several methods joined by ` + ` the first counts. */
export function paymentMethodOf(words: string | null): PaymentMethod | null {
  const [first = ''] = (words ?? '').toLowerCase().split(' + ')
  return methods.find(([, parts]) => parts.some((part) => first.includes(part)))?.[0] ?? null
}

const paymentStatuses = new Map<string, PaymentStatus>([
  ['paid', 'paid'],
  ['partially_refunded', 'paid'],
  ['refunded', 'refunded'],
  ['authorized', 'pending'],
  ['partially_paid', 'pending'],
  ['pending', 'unpaid'],
  ['voided', 'unpaid'],
  ['expired', 'unpaid'],
  ['', 'unpaid'],
])

// In the order of the contract: `Bank card` is a bank transfer, because that line comes first.
const methods: readonly [PaymentMethod, readonly string[]][] = [
  ['paypal', ['paypal']],
  ['venmo', ['venmo']],
  ['cod', ['cash on delivery', 'cod']],
  ['bank_transfer', ['bank', 'transfer', 'wire', 'eft', 'iban']],
  ['whatsapp', ['whatsapp']],
  ['telegram', ['telegram']],
  ['instagram', ['instagram']],
  ['card', ['shopify payments', 'stripe', 'card', 'credit', 'visa', 'mollie', 'adyen']],
]
