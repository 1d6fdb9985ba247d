// The memberships of a shop in its archive, and how a restore writes them. docs/spec/archives.md
// A timer that is due would move its membership while the shop is restored. So timers are written under a lease without an end, whose token is
// the id of the shop, and the end of the restore releases them.
import { archiveHandlers } from '#archive/handlers'
import { restorePart, withDates } from '#archive/restore-part'
import { subscriptionRows, subscriptionSettingsRows } from '#contracts/archive/order-rows'
import { beginEpoch } from '#outbox/epochs'
import type { Database } from '#postgres/connect'
import type { ActionHandlers } from '#runtime/service'
import { subscriptionDocument } from '../shape.ts'
import type { SubscriptionFacts } from '../tables.ts'
import { releaseTimers } from './queries.ts'

export function subscriptionArchive(db: Database): ActionHandlers {
  return archiveHandlers('subscriptions', db, {
    beginEpoch: (tx, shopId, epoch) => beginEpoch(tx, [shopId], epoch),
    restore: {
      async subscriptions(tx, rows, batch) {
        await restorePart(tx, subscriptionRows, rows, {
          ...batch,
          conflict: ['shop_id', 'id'],
          complete: ({ row }) => ({
            document: subscriptionDocument(withDates<SubscriptionFacts>(row, subscriptionRows.columns)),
          }),
          rest: { timers: { lease_until: 'infinity', lease_token: batch.shopId } },
        })
      },
      async 'subscription-settings'(tx, rows, batch) {
        await restorePart(tx, subscriptionSettingsRows, rows, { ...batch, conflict: ['shop_id'] })
      },
    },
    finish: releaseTimers,
  })
}
