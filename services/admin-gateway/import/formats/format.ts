// Owns what a format is, and the table of those we read. A new format is one file and one line here.
// import-formats.md, "Formats covered".
import type { ImportContext } from '../reader/fields.ts'
import type { Group, OpenGroupKey } from '../reader/group.ts'
import type { ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import { retail } from './retail.ts'
import { shopifyCustomers } from './shopify-customers.ts'
import { shopifyOrders } from './shopify-orders.ts'
import { shopifyProducts } from './shopify-products.ts'
import { spreeCustomers } from './spree-customers.ts'
import { spreeProducts } from './spree-products.ts'
import { woocommerceProducts } from './woocommerce-products.ts'

/** Column names are canonical: trimmed, inner spaces collapsed, lowercase. */
export type ImportFormat = {
  /** Name in the back-office API. */
  format: string
  recognises: (columns: ReadonlySet<string>) => boolean
  /** Generations of the header: a file needs every column of one of them. */
  required: readonly (readonly string[])[]
  /** The columns that the group key and `read` look at. */
  columns: readonly string[]
  /** Whether the format has this column although we do not read it; any other is listed in the report. */
  ignores: (column: string) => boolean
  /** The file's own currency; null: amounts are in the shop's. */
  currency: string | null
  /** What the records of one object share. */
  openGroupKey: OpenGroupKey
  read: (groups: AsyncIterable<Group>, context: ImportContext, report: Report) => AsyncIterable<ImportItem>
}

export const formats: readonly ImportFormat[] = [
  shopifyProducts,
  shopifyOrders,
  shopifyCustomers,
  woocommerceProducts,
  spreeProducts,
  spreeCustomers,
  retail,
]

export function formatNamed(name: string): ImportFormat | null {
  return formats.find(({ format }) => format === name) ?? null
}

export function recogniseFormat(columns: ReadonlySet<string>): ImportFormat | null {
  return formats.find((format) => format.recognises(columns)) ?? null
}
