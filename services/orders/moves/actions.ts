// The actions of the order moves, of a correction and of the history. docs/spec/back-office.md#order-moves
import { isUuid } from '#contracts/actions/params'
import type { CursorScope } from '#paging/cursor'
import { numberedPage } from '#paging/numbered-page'
import { filterText } from '#paging/page'
import type { Database } from '#postgres/connect'
import type { ActionContext, ActionHandlers, Call } from '#runtime/service'
import { findOrderDocument } from '../queries.ts'
import { historyDocument } from '../shape.ts'
import { correctOrder } from './correct-order.ts'
import { moveOrder, notFound } from './move-order.ts'
import { parseMove, type RequestedMove } from './parse-move.ts'
import { listHistory } from './queries.ts'

type MoveContext = Pick<ActionContext<'orders.confirm'>, 'params' | 'locals'>
/** `onCommit` is called after a move, when events may wait for the relay. */
type MoveDependencies = { db: Database; call: Call; cursorKeys: CursorScope['keys']; onCommit(): void }

export function moveHandlers({ db, call, cursorKeys, onCommit }: MoveDependencies): ActionHandlers {
  const move =
    (name: RequestedMove) =>
    async ({ params: { id, move: body }, locals: request }: MoveContext) => {
      const answer = await moveOrder(db, id, parseMove(name, body, request.caller.currency), request)
      onCommit()
      return answer
    }
  return {
    'orders.confirm': move('confirm'),
    'orders.mark_paid': move('mark_paid'),
    'orders.payment_pending': move('payment_pending'),
    'orders.payment_failed': move('payment_failed'),
    'orders.ship': move('ship'),
    'orders.complete': move('complete'),
    'orders.cancel': move('cancel'),
    'orders.refund': move('refund'),
    'orders.dispute': move('dispute'),
    'orders.resolve_dispute': move('resolve_dispute'),
    'orders.reschedule': move('reschedule'),
    async 'orders.change'({ params: { id, change }, locals: request }) {
      const answer = await correctOrder(db, call, id, change, request)
      onCommit()
      return answer
    },
    async 'orders.history'({ params: { id, ...page }, locals: { caller } }) {
      const { shopId, currency } = caller
      if (!isUuid(id) || (await findOrderDocument(db, shopId, id)) === null) throw notFound()
      const filter = filterText({ id: id.toLowerCase() })
      return numberedPage(
        page,
        { keys: cursorKeys, resource: 'order_history', shopId, filter },
        (before, rowsMax) => listHistory(db, shopId, id, before, rowsMax),
        (row) => historyDocument(row, currency),
      )
    },
  }
}
