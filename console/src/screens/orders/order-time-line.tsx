// The time line of an order: what was done to it and by whom, with its events and their deliveries.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { moneyWords } from '../../parts/money.ts'
import { HappenedLine } from '../../parts/object/happened-line.tsx'
import type { HappenedTo } from '../../parts/object/happened.ts'
import type { Moment } from '../../parts/time-line.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

export type OrderMove = BackOfficeSchemas['OrderMove']

const text = words.timeLine

export function OrderTimeLine({ shop, happened }: { shop: Shop; happened: HappenedTo<OrderMove> }) {
  return <HappenedLine shop={shop} happened={happened} momentOfMove={momentOfMove} />
}

function momentOfMove({
  number,
  at,
  move,
  who,
  toStatus,
  toPaymentStatus,
  fromStatus,
  fromPaymentStatus,
  amount,
}: OrderMove): Moment {
  const named: Record<string, string> = words.moved
  const title = named[move.replaceAll('_', '-')] ?? move
  const changes = [
    ...(fromStatus === toStatus ? [] : [toStatus]),
    ...(fromPaymentStatus === toPaymentStatus ? [] : [toPaymentStatus]),
  ].filter((change) => change !== title.toLowerCase())
  return {
    key: `move ${number}`,
    at,
    tone: 'ok',
    title: (
      <>
        <strong>{title}</strong> {amount !== null && moneyWords(amount)}{' '}
        <span class="soft">
          {changes.length > 0 && `→ ${changes.join(', ')} `}
          {text.by(who)}
        </span>
      </>
    ),
  }
}
