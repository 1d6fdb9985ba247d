// Owns the answering of the order moves: one line for each, so that the list can be read against the back office's.
// Back office: the order moves, PATCH /shops/{shop}/orders/{id}. Additive: GET /shops/{shop}/orders/{id}/history.
import type { Call, Handlers } from '#runtime/answer'
import type { Ask } from '#runtime/house'
import type { ActionParams } from '#contracts/actions'
import { isUuid } from '#contracts/actions/params'
import type { CursorScope } from '#paging/cursor'
import { filterText, openPage, toPage } from '#paging/page'
import type { Database } from '#postgres/connect'
import { type AskedMove, askedMove } from './parse-move.ts'
import { correctOrder } from './correct.ts'
import { numberBefore, toHistoryEntry } from './history.ts'
import { moveOrder, notFound } from './moves.ts'
import { findOrderDocument } from '../queries.ts'
import { listHistory } from './queries.ts'

/** `onMoved` hears that events may wait to be handed over. */
export type MoveTools = { db: Database; ask: Ask; cursorKeys: CursorScope['keys']; onMoved(): void }

export function moveHandlers({ db, ask, cursorKeys, onMoved }: MoveTools): Handlers {
  const told = async (answer: Promise<Buffer>) => {
    const body = await answer
    onMoved()
    return body
  }
  const moving =
    (name: AskedMove) =>
    ({ id, move }: ActionParams<'orders.confirm'>, call: Call) =>
      told(moveOrder(db, id, askedMove(name, move, call.caller.currency), call))
  return {
    'orders.confirm': moving('confirm'),
    'orders.mark_paid': moving('mark_paid'),
    'orders.payment_pending': moving('payment_pending'),
    'orders.payment_failed': moving('payment_failed'),
    'orders.ship': moving('ship'),
    'orders.complete': moving('complete'),
    'orders.cancel': moving('cancel'),
    'orders.refund': moving('refund'),
    'orders.dispute': moving('dispute'),
    'orders.resolve_dispute': moving('resolve_dispute'),
    'orders.reschedule': moving('reschedule'),
    'orders.change': ({ id, change }, call) => told(correctOrder(db, ask, id, change, call)),
    async 'orders.history'({ id, limit, cursor }, { caller }) {
      const { shopId, currency } = caller
      if (!isUuid(id) || (await findOrderDocument(db, shopId, id)) === null) throw notFound()
      const scope = {
        keys: cursorKeys,
        resource: 'order_history',
        shopId,
        filter: filterText({ id: id.toLowerCase() }),
      }
      const want = openPage({ limit, cursor }, scope)
      const rows = await listHistory(db, shopId, id, numberBefore(want.after), want)
      return toPage(
        rows.map((row) => toHistoryEntry(row, currency)),
        want,
      )
    },
  }
}
