// The formats of imports: their names, and the lists that have their objects. Pure.
import type { ImportFormatName } from '#contracts/input/import'
import { words } from '../../words/en.ts'

const { imports: text } = words
type ListScreen = keyof typeof text.showAll
export const formatNames = Object.keys(text.formats) as ImportFormatName[]

export function formatWords(format: string | null): string {
  const names: Record<string, string> = text.formats
  return format === null ? text.unknownFormat : (names[format] ?? format)
}

const screensOfFormats = {
  'shopify-products': 'products',
  'woocommerce-products': 'products',
  'spree-products': 'products',
  'storefront-products': 'products',
  'shopify-orders': 'orders',
  retail: 'orders',
  'storefront-orders': 'orders',
  'shopify-customers': 'contacts',
  'spree-customers': 'contacts',
  'storefront-contacts': 'contacts',
  'storefront-subscriptions': 'memberships',
} as const satisfies Record<ImportFormatName, ListScreen>

/** The screen that lists what a format holds; null where the format is not known. */
export function screenOf(format: string | null): ListScreen | null {
  const known: Record<string, ListScreen> = screensOfFormats
  return format === null ? null : (known[format] ?? null)
}
