// One order: its statuses and sum, the moves, what was bought and by whom, and the time line of everything that happened to it.
import { useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { asCommand, asCurl, asMcp } from '../../parts/list/ways.ts'
import { moneyWords } from '../../parts/money.ts'
import { useHappened } from '../../parts/object/happened.ts'
import { EditPanel, useEdit } from '../../parts/object/edit.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { CorrectOrder } from './correct-order.tsx'
import { nameOf, type Order, paymentTone, statusTone } from './order.ts'
import { OrderFacts } from './order-facts.tsx'
import { OrderMoves } from './order-moves.tsx'
import { OrderTimeLine } from './order-time-line.tsx'

type OrderDetailProps = {
  shop: Shop
  id: string
  mayChange: boolean
  place: Place
  changed: (order: Order) => void
}

export function OrderDetail({ shop, id, mayChange, place, changed }: OrderDetailProps) {
  const order = useLoad(`order ${shop.handle} ${id}`, (signal) => api.orders.get(shop.handle, id, { signal }))
  const happened = useHappened(shop.handle, id, api.orders.history)
  const edit = useEdit(mayChange)
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
      {place.isAlone && order.data === null && <h1>{words.orders.one}</h1>}
      <Shown of={order} rows={10}>
        {(data) => (
          <>
            <ObjectHead name={nameOf(data)} id={id} place={place} ways={ways} isJson={isJson} setJson={setJson}>
              <Status tone={statusTone(data)} word={data.status} />
              <Status tone={paymentTone(data)} word={data.paymentStatus} />
              <strong class="sum">{moneyWords(data.total)}</strong>
            </ObjectHead>
            <OrderMoves shop={shop} order={data} mayChange={mayChange} edit={edit} moved={moved} sent={happened.sent} />
            <EditPanel edit={edit}>
              {() => (
                <CorrectOrder
                  shop={shop}
                  order={data}
                  cancel={edit.close}
                  saved={(after) => {
                    moved(after)
                    edit.saved()
                  }}
                />
              )}
            </EditPanel>
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
