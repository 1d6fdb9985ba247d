// Handlers of `replays.*` (docs/spec/webhooks.md#replay).
import { replayInput } from '#contracts/input/webhook'
import type { Database } from '#postgres/connect'
import { answeredBefore, once } from '#postgres/idempotency'
import type { ActionHandlers } from '#runtime/service'
import { openParams } from '#schema/open'
import { cancelReplay } from './queries.ts'
import { planReplay, requireReplay, startReplay } from './replay.ts'
import { singleObject, toReplay } from '../shape.ts'

export type ReplayActions = { db: Database; wakeWorkers(): void }

export function replayHandlers({ db, wakeWorkers }: ReplayActions): ActionHandlers {
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
