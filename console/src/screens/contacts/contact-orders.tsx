// The newest orders of a contact.
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { moneyWords } from '../../parts/money.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { Related } from '../../parts/object/related.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { itemsWords, statusTone } from '../orders/order.ts'

const SHOWN = 10
const text = words.contacts

export function ContactOrders({ shop, id }: { shop: Shop; id: string }) {
  const orders = useLoad(`orders of ${shop.handle} ${id}`, (signal) =>
    firstPage(api.orders.list(shop.handle, { clientId: id, limit: SHOWN }, { signal })),
  )
  return (
    <Related
      title={text.orders}
      of={orders}
      empty={() => text.noOrders}
      lines={({ data }) =>
        data.map((order) => ({
          key: order.id,
          line: (
            <>
              <LinkTo name="orders" shop={shop} id={order.id}>
                {itemsWords(order)}
              </LinkTo>
              <Status tone={statusTone(order)} word={order.status} />
              <span class="number">{moneyWords(order.total)}</span>
              {order.createdAt !== null && <When at={order.createdAt} zone={shop.timeZone} />}
            </>
          ),
        }))
      }
      more={({ has_more }) => has_more && <a href={`/s/${shop.handle}/orders?client_id=${id}`}>{text.allOrders}</a>}
    />
  )
}
