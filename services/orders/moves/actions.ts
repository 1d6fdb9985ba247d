// Owns the answering of the order moves: one line for each, so that the list can be read against the back office's.
// Back office: the order moves, PATCH /shops/{shop}/orders/{id}. Additive: GET /shops/{shop}/orders/{id}/history.
import type { ActionContext, ActionHandlers, Call } from '#runtime/service'
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

type MoveContext = Pick<ActionContext<'orders.confirm'>, 'params' | 'locals'>

/** `onMoved` hears that events may wait to be handed over. */
export type MoveTools = { db: Database; call: Call; cursorKeys: CursorScope['keys']; onMoved(): void }

export function moveHandlers({ db, call, cursorKeys, onMoved }: MoveTools): ActionHandlers {
  const told = async (answer: Promise<Buffer>) => {
    const body = await answer
    onMoved()
    return body
  }
  const moving =
    (name: AskedMove) =>
    ({ params: { id, move }, locals: request }: MoveContext) =>
      told(moveOrder(db, id, askedMove(name, move, request.caller.currency), request))
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
    'orders.change': ({ params: { id, change }, locals: request }) => told(correctOrder(db, call, id, change, request)),
    async 'orders.history'({ params: { id, limit, cursor }, locals: { caller } }) {
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
