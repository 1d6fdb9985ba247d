// The products of a shop in its archive, and how a restore writes them. docs/spec/archives.md
import { archiveHandlers } from '#archive/handlers'
import { restorePart, withDates } from '#archive/restore-part'
import { productRows } from '#contracts/archive/shop-rows'
import type { Database } from '#postgres/connect'
import type { ActionHandlers } from '#runtime/service'
import { documentsOf } from './shape.ts'
import type { StoredProduct, VariantRow } from './tables.ts'

export function productArchive(db: Database): ActionHandlers {
  return archiveHandlers('catalog', db, {
    restore: {
      async products(tx, rows, batch) {
        await restorePart(tx, productRows, rows, {
          ...batch,
          conflict: ['shop_id', 'id'],
          complete: ({ row, inner }) =>
            documentsOf({
              product: withDates<StoredProduct['product']>(row, productRows.columns),
              variants: inner.variants as VariantRow[],
            }),
        })
      },
    },
  })
}
