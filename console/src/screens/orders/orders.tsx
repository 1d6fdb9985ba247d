// Orders: the list, and one order beside it on a wide window or alone on a narrow one.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { address, go } from '../../frame/address.ts'
import { session } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { useIsWide } from '../../frame/width.ts'
import { List } from '../../parts/list/list.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ordersList } from './orders-list.tsx'
import { OrderDetail } from './order-detail.tsx'
import type { Order } from './order.ts'
import { PlaceOrder } from './place-order.tsx'

/** `/s/{shop}/orders/new` is the form of a test order. */
const NEW = 'new'

export function Orders({ shop, id }: ScreenProps) {
  const isWide = useIsWide()
  const { search } = useStore(address)
  const now = useStore(session)
  const mayChange = now.state === 'in' && (now.operator.role === 'owner' || now.operator.role === 'manager')
  const [changed, setChanged] = useState<Order | null>(null)
  const config = useMemo(
    () => ordersList(shop, { mayChange, placePath: `/s/${shop.handle}/orders/${NEW}` }),
    [shop, mayChange],
  )
  const close = useCallback(() => go(config.path + search), [config.path, search])
  const isBeside = isWide && id !== null
  return (
    <div class={isBeside ? 'screen split' : 'screen'}>
      {(isWide || id === null) && <List config={config} openId={id} changed={changed} />}
      {id !== null && (
        <section class="object" aria-label={words.orders.one}>
          {!isBeside && (
            <p class="back">
              <a href={config.path + search}>
                <span aria-hidden="true">‹</span> {words.screens.orders}
              </a>
            </p>
          )}
          {id === NEW ? (
            <PlaceOrder shop={shop} isAlone={!isBeside} close={close} />
          ) : (
            <OrderDetail
              key={id}
              shop={shop}
              id={id}
              mayChange={mayChange}
              isAlone={!isBeside}
              close={close}
              changed={setChanged}
            />
          )}
        </section>
      )}
    </div>
  )
}
