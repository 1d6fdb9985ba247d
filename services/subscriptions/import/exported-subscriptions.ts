// Exports memberships with the anchor of their periods, and imports such memberships. docs/spec/imports.md#our-own-files
// An import fires no event. Its membership has the timer that its state asks for, like any other.
import type { ActionParams } from '#contracts/actions'
import { subscriptionFields } from '#contracts/input/exported'
import { exportedDocument } from '#paging/exported'
import { type PageRequest, toPage } from '#paging/page'
import type { Database } from '#postgres/connect'
import { importObjects, type ObjectImport } from '#postgres/import/import-objects'
import { openParams } from '#schema/open'
import { insertSubscription, listSubscriptionsOf, listSubscriptionsToExport, updateSubscription } from '../queries.ts'
import type { SubscriptionRow } from '../tables.ts'
import { nextTimer } from '../timers/next-timer.ts'
import { deleteTimer, setTimer } from '../timers/queries.ts'
import { planSubscription, type SubscriptionPlan } from './exported-subscription.ts'

type Shop = { shopId: string; currency: string }

/** A page of memberships, each with the anchor and number of its periods. */
export async function exportSubscriptions(
  db: Database,
  shopId: string,
  status: readonly string[] | undefined,
  page: PageRequest,
): Promise<Buffer> {
  const rows = await listSubscriptionsToExport(db, shopId, status, page)
  const exported = rows.map(({ anchor_at, periods, ...row }) =>
    exportedDocument(row, { anchorAt: anchor_at?.toISOString() ?? null, periods }),
  )
  return toPage(exported, page)
}

export function importExportedSubscriptions(
  db: Database,
  batch: ActionParams<'subscriptions.import_objects'>,
  shop: Shop,
  now: Date,
) {
  // Memberships have no list with an `_after` filter, so no stamp of the shop's changes.
  const changes: Pick<Database, 'change'> = { change: (_shopId, work) => db.transaction((tx) => work(tx, now)) }
  return importObjects({ ...db, ...changes }, shop.shopId, batch, subscriptionImport(shop), now)
}

function subscriptionImport(shop: Shop): ObjectImport<SubscriptionRow, SubscriptionPlan> {
  const { shopId } = shop
  return {
    kind: 'subscription',
    async load(sql, ids, isLocked) {
      const rows = await listSubscriptionsOf(sql, shopId, ids, isLocked)
      return new Map(rows.map((row) => [row.id, row]))
    },
    plan: async (_sql, before, { fields }, facts) =>
      planSubscription(before, openParams(subscriptionFields, fields), shop, facts),
    async write(tx, before, { row }) {
      if (before === null) await insertSubscription(tx, row)
      else await updateSubscription(tx, shopId, row)
      const timer = nextTimer(row)
      if (timer === null) await deleteTimer(tx, shopId, row.id)
      else await setTimer(tx, shopId, row.id, timer)
      return row.id
    },
  }
}
