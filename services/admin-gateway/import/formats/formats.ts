// The table of the formats that can be imported (docs/spec/imports.md#formats). A new format is one file and one line here.
import type { ImportFormatName } from '#contracts/input/import'
import { exportFormats } from '../exported/formats.ts'
import { shopifyCustomers, spreeCustomers } from './customers.ts'
import type { ImportFormat } from './format.ts'
import { retail } from './retail.ts'
import { shopifyOrders } from './shopify-orders.ts'
import { shopifyProducts } from './shopify-products.ts'
import { spreeProducts } from './spree-products.ts'
import { woocommerceProducts } from './woocommerce-products.ts'

export const formats: readonly ImportFormat[] = [
  shopifyProducts,
  shopifyOrders,
  shopifyCustomers,
  woocommerceProducts,
  spreeProducts,
  spreeCustomers,
  retail,
  ...exportFormats,
]

export function formatNamed(name: ImportFormatName): ImportFormat | null {
  return formats.find(({ format }) => format === name) ?? null
}

export function recogniseFormat(columns: ReadonlySet<string>): ImportFormat | null {
  return formats.find((format) => format.recognises(columns)) ?? null
}
