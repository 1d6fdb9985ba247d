// The orders of a shop in its archive, and how a restore writes them. docs/spec/archives.md
import { archiveHandlers } from '#archive/handlers'
import { restorePart, withDates } from '#archive/restore-part'
import { forgottenProductRows, orderRows } from '#contracts/archive/order-rows'
import { beginEpoch } from '#outbox/epochs'
import type { Database } from '#postgres/connect'
import type { ActionHandlers } from '#runtime/service'
import { orderDocument } from './shape.ts'
import type { OrderFacts, OrderLineRow } from './tables.ts'

export function orderArchive(db: Database): ActionHandlers {
  return archiveHandlers('orders', db, {
    beginEpoch: (tx, shopId, epoch) => beginEpoch(tx, [shopId], epoch),
    restore: {
      async orders(tx, rows, batch) {
        await restorePart(tx, orderRows, rows, {
          ...batch,
          conflict: ['shop_id', 'id'],
          complete: ({ row, inner }) => ({
            document: orderDocument(withDates<OrderFacts>(row, orderRows.columns), inner.lines as OrderLineRow[]),
          }),
        })
      },
      async 'forgotten-products'(tx, rows, batch) {
        await restorePart(tx, forgottenProductRows, rows, { ...batch, conflict: ['shop_id', 'product_id'] })
      },
    },
  })
}
