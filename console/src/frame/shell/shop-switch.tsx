// The name of the shop; opens the list of shops that the operator may see.
import { DropDown } from '../../parts/drop-down.tsx'
import { Shown } from '../../parts/state.tsx'
import { NEW_SHOP, type Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { firstPage } from '../first-page.ts'
import { useLoad } from '../loading.ts'
import { useIsOwner } from '../role.ts'
import { api, type Operator } from '../session.ts'

const SHOWN = 20

export function ShopSwitch({ operator, shop }: { operator: Operator; shop: Shop | null }) {
  if (operator.shops?.length === 1 && shop !== null) return <p class="shop-name">{shop.name}</p>
  return (
    <DropDown label={shop?.name ?? words.frame.chooseShop} className="shop-switch">
      {(close) => <ShopList close={close} current={shop?.handle ?? null} />}
    </DropDown>
  )
}

function ShopList({ current, close }: { current: string | null; close: () => void }) {
  const isOwner = useIsOwner()
  const shops = useLoad('shops', (signal) => firstPage(api.shops.list({ limit: SHOWN }, { signal })))
  return (
    <Shown of={shops} rows={3}>
      {(page) => (
        <ul class="menu">
          {page.data.map(({ handle, name }) => (
            <li key={handle}>
              <a href={`/s/${handle}`} aria-current={handle === current ? 'true' : undefined} onClick={close}>
                {name}
              </a>
            </li>
          ))}
          <li>
            <a href="/" onClick={close}>
              {words.frame.allShops}
            </a>
          </li>
          {isOwner && (
            <li>
              <a href={NEW_SHOP} onClick={close}>
                {words.allShops.create}
              </a>
            </li>
          )}
        </ul>
      )}
    </Shown>
  )
}
