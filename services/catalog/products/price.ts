// Owns the reading of a sent price. Back office: Conventions ("a currency other than the shop's is 400").
import { refuse } from '#contracts/errors'
import type { MoneyInput } from '#contracts/input/product'

/** Minor units. Refuses invalid_request for a currency that is not the shop's; `field` is the name in the body. */
export function centsOf({ cents, currency }: MoneyInput, field: string, shopCurrency: string): number {
  if (currency === undefined || currency === shopCurrency) return cents
  const words = `${field}.currency must be ${shopCurrency}, the currency of the shop.`
  throw refuse('invalid_request', words, { field: `${field}.currency` })
}
