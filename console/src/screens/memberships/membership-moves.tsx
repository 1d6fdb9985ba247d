// The moves as buttons. One that is not possible is grey and says why; one that cannot be taken back opens its form.
import { useState } from 'preact/hooks'
import { Form } from '../../parts/form.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import type { Sent } from '../../parts/object/happened.ts'
import { SeeHow } from '../../parts/see-how.tsx'
import { Problem } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { makeMove } from './make-move.ts'
import type { Membership } from './membership.ts'
import { type MoveName, moveNames, whyNot } from './moves.ts'

type MembershipMovesProps = {
  shop: Shop
  membership: Membership
  mayChange: boolean
  moved: (membership: Membership) => void
  sent: Sent | null
}
type WithForm = 'payment-failed' | 'end'

const text = words.memberships
const hasForm = (move: MoveName): move is WithForm => move === 'payment-failed' || move === 'end'

export function MembershipMoves({ shop, membership, mayChange, moved, sent }: MembershipMovesProps) {
  const [open, setOpen] = useState<WithForm | null>(null)
  const [busy, setBusy] = useState<MoveName | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [done, setDone] = useState<MoveName | null>(null)
  const [why, setWhy] = useState<string | null>(null)
  const make = async (move: MoveName, body: { lastAttempt?: boolean } = {}) => {
    moved(await makeMove(shop.handle, membership.id, move, body))
    setOpen(null)
    setDone(move)
  }
  const start = async (move: MoveName, reason: string | null) => {
    setError(null)
    setDone(null)
    setWhy(reason === null ? null : `${text.moves[move]}: ${reason}`)
    if (reason !== null || busy !== null) return
    if (hasForm(move)) return setOpen(move === open ? null : move)
    setBusy(move)
    try {
      await make(move)
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(null)
  }
  return (
    <section class="moves" aria-label={text.list}>
      <div class="buttons">
        {moveNames.map((move) => {
          const reason = reasonOf(move, membership, mayChange)
          return (
            <button
              type="button"
              key={move}
              class={move === open ? 'pressed' : ''}
              aria-disabled={reason !== null}
              aria-busy={busy === move}
              aria-expanded={hasForm(move) ? move === open : undefined}
              title={reason ?? undefined}
              onClick={() => void start(move, reason)}
            >
              {text.moves[move]}
            </button>
          )
        })}
      </div>
      {open !== null && (
        <MoveForm
          key={open}
          move={open}
          shop={shop}
          id={membership.id}
          cancel={() => setOpen(null)}
          send={(body) => make(open, body)}
        />
      )}
      {error !== null && <Problem error={error} />}
      <p class="result" role="status">
        {why}
        {done !== null && words.orders.done(text.moved[nameInHistory(done)], sent)}
      </p>
    </section>
  )
}

type MoveFormProps = {
  move: WithForm
  shop: Shop
  id: string
  cancel: () => void
  send: (body: { lastAttempt?: boolean }) => Promise<void>
}

function MoveForm({ move, shop, id, cancel, send }: MoveFormProps) {
  const [isLast, setLast] = useState(false)
  const body = move === 'payment-failed' && isLast ? { lastAttempt: true } : {}
  const path = `/shops/${shop.handle}/subscriptions/${id}/${move}`
  const options: Record<string, true> = isLast ? { 'last-attempt': true } : {}
  return (
    <div class="move-form">
      <Form submit={text.moves[move]} isDangerous={move === 'end' || isLast} cancel={cancel} send={() => send(body)}>
        {move === 'end' ? (
          <p>{text.endAbout}</p>
        ) : (
          <label class="check">
            <input type="checkbox" checked={isLast} onChange={({ currentTarget }) => setLast(currentTarget.checked)} />{' '}
            {text.lastAttempt}
            <span class="hint">{text.lastAttemptHint}</span>
          </label>
        )}
      </Form>
      <SeeHow
        ways={[
          asCurl(location.origin, { method: 'POST', path, body }),
          asCommand(`subscriptions ${move} ${id}`, shop.handle, options),
        ]}
      />
    </div>
  )
}

function nameInHistory(move: MoveName) {
  return move === 'payment-failed' ? 'payment_failed' : move
}

function reasonOf(move: MoveName, membership: Membership, mayChange: boolean): string | null {
  if (!mayChange) return text.reasons.role
  const reason = whyNot(move, membership, new Date())
  return reason === null ? null : text.reasons[reason]
}
