// The form of a move that takes fields, and the same move as curl and as a command.
import { useState } from 'preact/hooks'
import { Field, Form } from '../../parts/form.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { centsOf, moneyLeft, moneyWords } from '../../parts/money.ts'
import { SeeHow } from '../../parts/see-how.tsx'
import { instantOfLocal } from '../../parts/time.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { makeMove } from './make-move.ts'
import { type MoveName, verdictOf } from './moves.ts'
import type { Order } from './order.ts'

type Input = { name: string; label: string; first: string; kind: 'text' | 'url' | 'local-time'; hint?: string } | Choice
type Choice = { name: string; label: string; first: string; kind: 'choice'; values: readonly string[] }
type Values = Record<string, string>

const { fields: text } = words.orders
const withFields = new Set<MoveName>(['ship', 'refund', 'cancel', 'dispute', 'resolve-dispute', 'reschedule'])

/** Whether the move opens a form; one that cannot be taken back does. */
export function hasFields(move: MoveName): boolean {
  return withFields.has(move)
}

type MoveFormProps = { shop: Shop; order: Order; move: MoveName; cancel: () => void; moved: (order: Order) => void }

export function MoveForm({ shop, order, move, cancel, moved }: MoveFormProps) {
  const inputs = inputsOf(move, order)
  const [values, setValues] = useState<Values>(Object.fromEntries(inputs.map(({ name, first }) => [name, first])))
  const body = bodyOf(move, values, order, shop.timeZone)
  const path = `/shops/${shop.handle}/orders/${order.id}/${move}`
  const verdict = verdictOf(move, order)
  // A lost dispute takes what was disputed, which is at most what is left.
  const isLost = move === 'resolve-dispute' && values.outcome === 'lost'
  const givesBack = verdict.isPossible && (verdict.givesBack || isLost)
  return (
    <div class="move-form">
      <Form
        submit={submitWords(move, values, order, givesBack)}
        isDangerous={givesBack}
        cancel={cancel}
        send={async () => moved(await makeMove(shop.handle, order.id, move, body))}
      >
        {inputs.map((input) => (
          <Field key={input.name} name={input.name} label={input.label} hint={'hint' in input ? input.hint : undefined}>
            <Control
              input={input}
              value={values[input.name] ?? ''}
              set={(value) => setValues({ ...values, [input.name]: value })}
            />
          </Field>
        ))}
      </Form>
      <SeeHow
        ways={[
          asCurl(location.origin, { method: 'POST', path, body }),
          asCommand(`orders ${move} ${order.id}`, shop.handle, optionsOf(body)),
        ]}
      />
    </div>
  )
}

function Control({
  input,
  value,
  set,
  ...rest
}: {
  input: Input
  value: string
  set: (value: string) => void
  id?: string
}) {
  if (input.kind === 'choice') {
    return (
      <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)} {...rest}>
        {input.values.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    )
  }
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }) => set(currentTarget.value)
  if (input.kind === 'local-time') return <input type="datetime-local" value={value} onInput={onInput} {...rest} />
  return <input value={value} inputMode={input.kind} onInput={onInput} {...rest} />
}

function inputsOf(move: MoveName, { delivery, booking, total, refunded }: Order): Input[] {
  const left = moneyLeft(total, refunded)
  switch (move) {
    case 'ship':
      return [
        { name: 'trackingCarrier', label: text.carrier, first: delivery.trackingCarrier ?? '', kind: 'text' },
        { name: 'trackingNumber', label: text.number, first: delivery.trackingNumber ?? '', kind: 'text' },
        { name: 'trackingUrl', label: text.url, first: delivery.trackingUrl ?? '', kind: 'url' },
      ]
    case 'refund':
      return [{ name: 'amount', label: text.amount(total.currency), first: left.amount, kind: 'text' }]
    case 'dispute':
      return [
        { name: 'amount', label: text.amount(total.currency), first: total.amount, kind: 'text' },
        { name: 'reason', label: text.reason, first: '', kind: 'text' },
      ]
    case 'resolve-dispute':
      return [{ name: 'outcome', label: text.outcome, first: 'won', kind: 'choice', values: ['won', 'lost'] }]
    case 'reschedule':
      return [
        { name: 'scheduledFor', label: text.scheduledFor, first: '', kind: 'local-time' },
        { name: 'serviceLocation', label: text.location, first: booking?.serviceLocation ?? '', kind: 'text' },
      ]
    default:
      return []
  }
}

function bodyOf(move: MoveName, values: Values, order: Order, zone: string): Record<string, unknown> {
  const { amount, scheduledFor, ...texts } = values
  const verdict = verdictOf(move, order)
  const body: Record<string, unknown> = { ...texts }
  // What is no amount goes out as it is typed, and the refusal says what is wrong with it.
  if (amount !== undefined) body.amount = { cents: centsOf(amount, order.total) ?? amount }
  if (scheduledFor !== undefined && scheduledFor !== '')
    body.scheduledFor = instantOfLocal(scheduledFor, zone)?.toISOString()
  if (move === 'cancel' && verdict.isPossible && verdict.givesBack) body.refund = true
  return body
}

// A move that gives money back repeats the sum and the currency.
function submitWords(move: MoveName, { amount }: Values, order: Order, givesBack: boolean): string {
  if (!givesBack) return move === 'cancel' ? words.orders.cancelOrder : words.moves[move]
  const left = moneyLeft(order.total, order.refunded)
  if (move === 'resolve-dispute') return words.orders.lostGivesBack(moneyWords(left))
  const cents = amount === undefined ? left.cents : centsOf(amount, order.total)
  if (move === 'cancel') return words.orders.cancelAndRefund(moneyWords(left))
  return words.orders.refund(
    cents === null ? (amount ?? '') : moneyWords({ ...left, amount: amountOf(amount ?? left.amount) }),
  )
}

function amountOf(typed: string): string {
  return typed.trim().replace(',', '.')
}

function optionsOf(body: Record<string, unknown>): Record<string, string | true> {
  const options: Record<string, string | true> = {}
  for (const [name, value] of Object.entries(body)) {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    if (value === true) options[flag] = true
    else if (typeof value === 'object' && value !== null && 'cents' in value)
      options[`${flag}-cents`] = String(value.cents)
    else if (typeof value === 'string' && value !== '') options[flag] = value
  }
  return options
}
