// Handlers of `replays.*` (docs/spec/webhooks.md#replay).
import type { KeyObject } from 'node:crypto'
import { command } from '#audit/command'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database } from '#postgres/connect'
import { answeredBefore } from '#postgres/idempotency'
import type { ActionHandlers } from '#runtime/service'
import { requireEndpoint } from '../endpoints/endpoints.ts'
import { cancelReplay, listReplays } from './queries.ts'
import { planReplay, previewReplay, requireReplay, startReplay } from './replay.ts'
import { singleObject, toReplay } from '../shape.ts'

export type ReplayActions = { db: Database; cursorKeys: KeyObject[]; wakeWorkers(): void }

export function replayHandlers({ db, cursorKeys, wakeWorkers }: ReplayActions): ActionHandlers {
  return {
    async 'replays.create'({ params: { id, replay, dry_run }, locals }) {
      const { caller, idempotency, now } = locals
      const { shopId } = caller
      if (dry_run) return { created: false, body: singleObject(await previewReplay(db, shopId, id, replay, now)) }
      const before = await answeredBefore(db, shopId, idempotency, now)
      if (before !== null) return before
      const row = await planReplay(db, shopId, id, replay, now)
      const answer = await db.transaction((tx) =>
        command(tx, locals, async () => {
          await startReplay(tx, row)
          return { before: null, after: toReplay(row) }
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
    async 'replays.cancel'({ params: { id, replay }, locals }) {
      const { shopId } = locals.caller
      return db.transaction((tx) =>
        command(tx, locals, async () => {
          const before = await requireReplay(tx, shopId, id, replay)
          await cancelReplay(tx, shopId, before.endpoint_id, before.id)
          return { before: toReplay(before), after: toReplay(await requireReplay(tx, shopId, id, replay)) }
        }),
      )
    },
  }
}
