// The formats of our own exports, as CSV and as JSON lines. docs/spec/imports.md#our-own-files
import type { ImportFormatName } from '#contracts/input/import'
import { childColumn, type ExportList, externalIdColumn, idColumn, objectTables } from '#export/columns'
import type { ImportFormat } from '../formats/format.ts'
import { canonical, type CsvRecord } from '../reader/csv.ts'
import { type ImportContext, openFields } from '../reader/fields.ts'
import { type Group, stateless } from '../reader/group.ts'
import type { ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'
import { keyOfRecord, readRecords } from './read-object.ts'

/** Columns that no other list and no other format has together. */
const marks: Record<ExportList, readonly string[]> = {
  orders: ['id', 'paymentstatus', 'customer.clientid'],
  products: ['id', 'slug', 'trackinventory'],
  contacts: ['id', 'source', 'marketingconsentat'],
  subscriptions: ['id', 'billingmode', 'currentperiodend'],
}

export const exportFormats: readonly ImportFormat[] = [
  formatOf('orders', 'storefront-orders'),
  formatOf('products', 'storefront-products'),
  formatOf('contacts', 'storefront-contacts'),
  formatOf('subscriptions', 'storefront-subscriptions'),
]

function formatOf(list: ExportList, format: ImportFormatName): ImportFormat {
  const table = objectTables[list]
  const { columns, children } = table
  const names = [
    idColumn,
    externalIdColumn,
    ...columns.map(({ name }) => name),
    ...(children?.columns.map((column) => childColumn(children, column)) ?? []),
  ]
  return {
    format,
    recognises: (present) => marks[list].every((column) => present.has(column)),
    required: [],
    columns: names.map(canonical),
    ignores: () => false,
    currency: null,
    isExact: true,
    ...(list === 'contacts' ? { holdsPersons: true } : {}),
    table,
    openGroupKey: stateless((record: CsvRecord) => keyOfRecord(record)),
    read: (groups, context, report) => readObjects(table, groups, context, report),
  }
}

async function* readObjects(
  table: (typeof objectTables)[ExportList],
  groups: AsyncIterable<Group>,
  context: ImportContext,
  report: Report,
): AsyncGenerator<ImportItem, void, undefined> {
  for await (const { records } of groups) {
    const fields = openFields(context, report)
    const item = readRecords(table, records, fields, context)
    if (fields.hasFailed()) report.counts.failed += 1
    else yield item
  }
}
