// Orders: the list, and one order beside it on a wide window or alone on a narrow one.
import { useMemo, useState } from 'preact/hooks'
import { useMayChange } from '../../frame/role.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ordersList } from './orders-list.tsx'
import { OrderDetail } from './order-detail.tsx'
import type { Order } from './order.ts'
import { PlaceOrder } from './place-order.tsx'

/** `/s/{shop}/orders/new` is the form of a test order. */
const NEW = 'new'

export function Orders({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [changed, setChanged] = useState<Order | null>(null)
  const [version, setVersion] = useState(0)
  const config = useMemo(
    () => ordersList(shop, { mayChange, placePath: `/s/${shop.handle}/orders/${NEW}` }),
    [shop, mayChange],
  )
  return (
    <ListAndObject config={config} id={id} one={words.orders.one} changed={changed} version={version}>
      {(open, place) =>
        open === NEW ? (
          <PlaceOrder shop={shop} {...place} placed={() => setVersion(version + 1)} />
        ) : (
          <OrderDetail key={open} shop={shop} id={open} mayChange={mayChange} place={place} changed={setChanged} />
        )
      }
    </ListAndObject>
  )
}
