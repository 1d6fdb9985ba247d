// Owns what becomes of endpoints with time: the owner is told that one fails, one that fails for days is turned off, and
// lines that were left are cleared away. states-and-events.md 5.1 to 5.3.
import type { Database } from '#postgres/connect'
import { forgetLine, listLeftLines, skipQueued } from '../delivery/queries.ts'
import { disableEndpoint, type FailingRow, listFailing } from '../endpoints/queries.ts'
import { insertNotice } from './queries.ts'
import type { Pace } from '../delivery/delivery-config.ts'
import { callTurns } from '../delivery/queue-queries.ts'

const STEP_ROWS = 1_000

/** Tells owners of endpoints that fail, and turns off those that have failed too long. */
export async function watchEndpoints(db: Database, pace: Pace): Promise<void> {
  const shortestS = Math.min(pace.noticeAfterS.first, pace.disableAfterS)
  for (const endpoint of await listFailing(db, shortestS)) {
    await db.transaction(async (tx) => {
      await callTurns(tx, [endpoint.shop_id])
      const { shop_id, id, failing_since } = endpoint
      const stage = stageOf(endpoint, pace)
      if (stage === null) return
      if (stage === 'disabled' && !(await disableEndpoint(tx, shop_id, id, 'failing'))) return
      await insertNotice(tx, shop_id, id, stage, failing_since, 0)
    })
  }
}

/** Marks what was queued in lines that were left as skipped, for about so long; the rest goes with the next sweep. */
export async function clearLines(db: Database, forMs: number): Promise<void> {
  const until = performance.now() + forMs
  for (const { shop_id, line_id } of await listLeftLines(db)) {
    let isOver = false
    while (!isOver && performance.now() < until) {
      isOver = await db.transaction(async (tx) => {
        await callTurns(tx, [shop_id])
        const skipped = await skipQueued(tx, shop_id, line_id, STEP_ROWS)
        await forgetLine(tx, shop_id, line_id)
        return skipped < STEP_ROWS
      })
    }
  }
}

function stageOf({ failing_s, failures }: FailingRow, pace: Pace) {
  if (failing_s >= pace.disableAfterS && failures >= pace.disableAfter) return 'disabled'
  if (failing_s >= pace.noticeAfterS.second) return 'failing_second'
  return failing_s >= pace.noticeAfterS.first ? 'failing_first' : null
}
