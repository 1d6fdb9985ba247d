// Owns what two spellings of one email address share on an order.
// Spec: GET /orders, `email`: exact match on the address typed at checkout, case-insensitive. The filter and the column
// use this one form, so what was stored is always found again.
import { trimInvisible } from '#contracts/input/text'

export function emailKey(email: string): string {
  return trimInvisible(email).toLowerCase().normalize('NFC')
}
