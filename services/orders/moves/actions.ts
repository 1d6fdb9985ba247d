// The actions of the order moves, of a correction and of the history. docs/spec/back-office.md#order-moves
import { isUuid } from '#contracts/actions/params'
import type { CursorScope } from '#paging/cursor'
import { numberedPage } from '#paging/numbered-page'
import { filterText } from '#paging/page'
import type { Database } from '#postgres/connect'
import type { ActionHandlers, Call, RequestInfo } from '#runtime/service'
import { findOrderDocument } from '../queries.ts'
import { historyDocument } from '../shape.ts'
import { correctOrder } from './correct-order.ts'
import { moveOrder, notFound } from './move-order.ts'
import { parsers } from './parse-move.ts'
import { listHistory } from './queries.ts'
import type { Move } from './transitions.ts'

type MoveContext<Body> = { params: { id: string; move: Body }; locals: RequestInfo }
/** `onCommit` is called after a move, when events may wait for the relay. */
type MoveDependencies = { db: Database; call: Call; cursorKeys: CursorScope['keys']; onCommit(): void }

export function moveHandlers({ db, call, cursorKeys, onCommit }: MoveDependencies): ActionHandlers {
  const move =
    <Body>(parse: (body: Body, currency: string) => Move) =>
    async ({ params: { id, move: body }, locals: request }: MoveContext<Body>) => {
      const answer = await moveOrder(db, id, parse(body, request.caller.currency), request)
      onCommit()
      return answer
    }
  return {
    'orders.confirm': move(parsers.confirm),
    'orders.mark_paid': move(parsers.mark_paid),
    'orders.payment_pending': move(parsers.payment_pending),
    'orders.payment_failed': move(parsers.payment_failed),
    'orders.ship': move(parsers.ship),
    'orders.complete': move(parsers.complete),
    'orders.cancel': move(parsers.cancel),
    'orders.refund': move(parsers.refund),
    'orders.dispute': move(parsers.dispute),
    'orders.resolve_dispute': move(parsers.resolve_dispute),
    'orders.reschedule': move(parsers.reschedule),
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
