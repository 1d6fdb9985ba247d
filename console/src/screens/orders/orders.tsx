// Orders: the list, and one order beside it on a wide window or alone on a narrow one.
import { useMemo, useState } from 'preact/hooks'
import { session } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { ListAndObject } from '../../parts/list/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ordersList } from './orders-list.tsx'
import { OrderDetail } from './order-detail.tsx'
import type { Order } from './order.ts'
import { PlaceOrder } from './place-order.tsx'

/** `/s/{shop}/orders/new` is the form of a test order. */
const NEW = 'new'

export function Orders({ shop, id }: ScreenProps) {
  const now = useStore(session)
  const mayChange = now.state === 'in' && (now.operator.role === 'owner' || now.operator.role === 'manager')
  const [changed, setChanged] = useState<Order | null>(null)
  const config = useMemo(
    () => ordersList(shop, { mayChange, placePath: `/s/${shop.handle}/orders/${NEW}` }),
    [shop, mayChange],
  )
  return (
    <ListAndObject config={config} id={id} one={words.orders.one} changed={changed}>
      {(shown) =>
        shown.id === NEW ? (
          <PlaceOrder shop={shop} isAlone={shown.isAlone} close={shown.close} />
        ) : (
          <OrderDetail key={shown.id} {...shown} shop={shop} mayChange={mayChange} changed={setChanged} />
        )
      }
    </ListAndObject>
  )
}
