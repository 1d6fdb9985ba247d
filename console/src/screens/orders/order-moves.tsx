// The moves as buttons in the order of life. One that is not possible is grey and says why; one with fields opens its form. What
// succeeded is said here, with what it has sent.
import { useState } from 'preact/hooks'
import { DropDown } from '../../parts/drop-down.tsx'
import { moneyLeft, moneyWords } from '../../parts/money.ts'
import { type Edit, EditButton } from '../../parts/object/edit.tsx'
import type { Sent } from '../../parts/object/happened.ts'
import { Problem } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { hasFields, MoveForm } from './move-form.tsx'
import { makeMove } from './make-move.ts'
import { type MoveName, moveNames, type Verdict, verdictOf } from './moves.ts'
import type { Order } from './order.ts'

type OrderMovesProps = {
  shop: Shop
  order: Order
  mayChange: boolean
  edit: Edit
  moved: (order: Order) => void
  sent: Sent | null
}

/** Stand behind "More": few people need them. */
const rare: readonly MoveName[] = ['payment-pending', 'payment-failed', 'dispute', 'resolve-dispute']

export function OrderMoves({ shop, order, mayChange, edit, moved, sent }: OrderMovesProps) {
  const [open, setOpen] = useState<MoveName | null>(null)
  const [busy, setBusy] = useState<MoveName | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [done, setDone] = useState<MoveName | null>(null)
  const [why, setWhy] = useState<string | null>(null)
  const finish = (move: MoveName, after: Order) => {
    setOpen(null)
    setDone(move)
    setWhy(null)
    moved(after)
  }
  const start = async (move: MoveName) => {
    setError(null)
    setDone(null)
    setWhy(null)
    if (hasFields(move)) return setOpen(move === open ? null : move)
    setBusy(move)
    try {
      finish(move, await makeMove(shop.handle, order.id, move, {}))
    } catch (reason) {
      setError(reason)
    }
    setBusy(null)
  }
  const shown = moveNames.filter((move) => !rare.includes(move) && (move !== 'reschedule' || order.booking !== null))
  const button = (move: MoveName) => {
    const verdict = verdictOf(move, order)
    const reason = reasonOf(verdict, mayChange)
    return (
      <button
        type="button"
        key={move}
        class={move === open ? 'pressed' : ''}
        aria-disabled={reason !== null}
        aria-busy={busy === move}
        aria-expanded={hasFields(move) ? move === open : undefined}
        title={reason ?? undefined}
        onClick={() => (reason === null ? void start(move) : setWhy(`${words.moves[move]}: ${reason}`))}
      >
        {labelOf(move, verdict, order)}
      </button>
    )
  }
  return (
    <section class="moves" aria-label={words.orders.moves}>
      <div class="buttons">
        {shown.map(button)}
        <EditButton edit={edit} say={setWhy} />
        <DropDown label={words.orders.moreMoves} isRight>
          {(close) => (
            <ul class="menu">
              {rare.map((move) => {
                const reason = reasonOf(verdictOf(move, order), mayChange)
                return (
                  <li key={move}>
                    <button
                      type="button"
                      disabled={reason !== null}
                      onClick={() => {
                        close()
                        void start(move)
                      }}
                    >
                      {words.moves[move]} {reason !== null && <small>{reason}</small>}
                    </button>
                  </li>
                )
              })}
            </ul>
          )}
        </DropDown>
      </div>
      {open !== null && (
        <MoveForm
          key={open}
          shop={shop}
          order={order}
          move={open}
          cancel={() => setOpen(null)}
          moved={(after) => finish(open, after)}
        />
      )}
      {error !== null && <Problem error={error} />}
      <p class="result" role="status">
        {why}
        {done !== null && words.orders.done(words.moved[done], sent)}
      </p>
    </section>
  )
}

function reasonOf(verdict: Verdict, mayChange: boolean): string | null {
  if (!mayChange) return words.moveReasons.role
  return verdict.isPossible ? null : words.moveReasons[verdict.reason]
}

function labelOf(move: MoveName, verdict: Verdict, order: Order): string {
  if (!verdict.isPossible) return words.moves[move]
  if (verdict.isAgain) return words.orders.changeTracking
  return verdict.givesBack && move === 'refund'
    ? words.orders.refund(moneyWords(moneyLeft(order.total, order.refunded)))
    : words.moves[move]
}
