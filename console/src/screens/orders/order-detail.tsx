// One order: its statuses and sum, the moves, what was bought and by whom, and the time line of everything that happened to it.
import { useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { Id } from '../../parts/copy.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { asCommand, asCurl, asMcp } from '../../parts/list/ways.ts'
import { moneyWords } from '../../parts/money.ts'
import { ObjectHead } from '../../parts/object-head.tsx'
import { SeeHow } from '../../parts/see-how.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { nameOf, type Order, paymentTone, statusTone } from './order.ts'
import { OrderFacts } from './order-facts.tsx'
import { OrderMoves } from './order-moves.tsx'
import { OrderTimeLine } from './order-time-line.tsx'
import { useTimeLine } from './time-line.ts'

type OrderDetailProps = {
  shop: Shop
  id: string
  mayChange: boolean
  /** Without the list beside it: its name is the heading of the page. */
  isAlone: boolean
  close: () => void
  changed: (order: Order) => void
}

export function OrderDetail({ shop, id, mayChange, isAlone, close, changed }: OrderDetailProps) {
  const order = useLoad(`order ${shop.handle} ${id}`, (signal) => api.orders.get(shop.handle, id, { signal }))
  const happened = useTimeLine(shop.handle, id)
  const [isJson, setJson] = useState(false)
  const path = `/shops/${shop.handle}/orders/${id}`
  const ways = [
    asCurl(location.origin, { method: 'GET', path }),
    asCommand(`orders show ${id}`, shop.handle),
    asMcp('get_order', { id }),
  ]
  const moved = (after: Order) => {
    order.put(after)
    changed(after)
    happened.follow()
  }
  return (
    <>
      {isAlone && order.data === null && <h1>{words.orders.one}</h1>}
      <Shown of={order} rows={10}>
        {(data) => (
          <>
            <OrderHead order={data} isAlone={isAlone} close={close}>
              <button type="button" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
                {words.json.button}
              </button>
              <SeeHow ways={ways} />
            </OrderHead>
            <OrderMoves shop={shop} order={data} mayChange={mayChange} moved={moved} sent={happened.sent} />
            {isJson ? (
              <JsonView value={data} />
            ) : (
              <>
                <OrderFacts order={data} shop={shop} />
                <OrderTimeLine shop={shop} happened={happened} />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  )
}

type HeadProps = { order: Order; isAlone: boolean; close: () => void; children: preact.ComponentChildren }

function OrderHead({ order, isAlone, close, children }: HeadProps) {
  return (
    <ObjectHead name={nameOf(order)} isAlone={isAlone} close={close} buttons={children}>
      <Status tone={statusTone(order)} word={order.status} />
      <Status tone={paymentTone(order)} word={order.paymentStatus} />
      <strong class="sum">{moneyWords(order.total)}</strong>
      <Id id={order.id} />
    </ObjectHead>
  )
}
