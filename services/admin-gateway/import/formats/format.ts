// The formats that can be imported (docs/spec/imports.md#formats). A new format is one file and one line in the table.
import type { ImportFormatName } from '#contracts/input/import'
import type { ImportContext } from '../reader/fields.ts'
import type { Group, OpenGroupKey } from '../reader/group.ts'
import type { ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import { shopifyCustomers, spreeCustomers } from './customers.ts'
import { retail } from './retail.ts'
import { shopifyOrders } from './shopify-orders.ts'
import { shopifyProducts } from './shopify-products.ts'
import { spreeProducts } from './spree-products.ts'
import { woocommerceProducts } from './woocommerce-products.ts'

/** Column names are canonical: trimmed, inner spaces collapsed, lowercase. */
export type ImportFormat = {
  /** Name in the back-office API. */
  format: ImportFormatName
  recognises: (columns: ReadonlySet<string>) => boolean
  /** Header generations: a file needs every column of one of them. */
  required: readonly (readonly string[])[]
  /** The columns that the group key and `read` use. */
  columns: readonly string[]
  /** Whether the format has this column although it is not read. Columns unknown to the format are listed in the report. */
  ignores: (column: string) => boolean
  /** The file's own currency; null: amounts are in the shop's. */
  currency: string | null
  /** The key that the records of one object share. */
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

export function formatNamed(name: ImportFormatName): ImportFormat | null {
  return formats.find(({ format }) => format === name) ?? null
}

export function recogniseFormat(columns: ReadonlySet<string>): ImportFormat | null {
  return formats.find((format) => format.recognises(columns)) ?? null
}
