// Handlers of `replays.*` (docs/spec/webhooks.md#replay).
import type { KeyObject } from 'node:crypto'
import { replayInput } from '#contracts/input/webhook'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database } from '#postgres/connect'
import { answeredBefore, once } from '#postgres/idempotency'
import type { ActionHandlers } from '#runtime/service'
import { openParams } from '#schema/open'
import { requireEndpoint } from '../endpoints/endpoints.ts'
import { cancelReplay, listReplays } from './queries.ts'
import { planReplay, requireReplay, startReplay } from './replay.ts'
import { singleObject, toReplay } from '../shape.ts'

export type ReplayActions = { db: Database; cursorKeys: KeyObject[]; wakeWorkers(): void }

export function replayHandlers({ db, cursorKeys, wakeWorkers }: ReplayActions): ActionHandlers {
  return {
    async 'replays.create'({ params: { id, replay }, locals: { caller, idempotency, now } }) {
      const { shopId } = caller
      const before = await answeredBefore(db, shopId, idempotency, now)
      if (before !== null) return before
      const row = await planReplay(db, shopId, id, openParams(replayInput, replay), now)
      const answer = await db.transaction((tx) =>
        once(tx, shopId, idempotency, now, async () => {
          await startReplay(tx, row)
          return singleObject(toReplay(row))
        }),
      )
      wakeWorkers()
      return answer
    },
    async 'replays.list'({ params: { id, limit, cursor }, locals: { caller } }) {
      const { shopId } = caller
      const endpoint = await requireEndpoint(db, shopId, id)
      const filter = filterText({ endpoint: endpoint.id })
      const page = openPage({ limit, cursor }, { keys: cursorKeys, resource: 'replays', shopId, filter })
      const rows = await listReplays(db, shopId, endpoint.id, page)
      return toPage(
        rows.map((row) => ({ id: row.id, created_at: row.created_at, document: JSON.stringify(toReplay(row)) })),
        page,
      )
    },
    async 'replays.get'({ params: { id, replay }, locals: { caller } }) {
      return singleObject(toReplay(await requireReplay(db, caller.shopId, id, replay)))
    },
    async 'replays.cancel'({ params: { id, replay }, locals: { caller } }) {
      const { id: replayId, endpoint_id } = await requireReplay(db, caller.shopId, id, replay)
      await cancelReplay(db, caller.shopId, endpoint_id, replayId)
      return singleObject(toReplay(await requireReplay(db, caller.shopId, id, replay)))
    },
  }
}
