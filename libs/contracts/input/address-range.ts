// A range of network addresses as a setting or a field names it: an address, or a CIDR. docs/spec/back-office.md#restricted-keys
import { isIP } from 'node:net'
import { z } from 'zod'
import { withRule } from './rule.ts'

/** Returns the CIDR; an address alone is a range of one. */
export const addressRange = withRule(
  z.string().max(64).transform(asRange),
  isRange,
  { error: 'must be an address or a CIDR such as 203.0.113.0/24' },
  { pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$' },
)

function asRange(text: string): string {
  const family = isIP(text)
  return family === 0 ? text : `${text}/${family === 4 ? 32 : 128}`
}

function isRange(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax && rest.length === 0 && !address.includes('%')
}
