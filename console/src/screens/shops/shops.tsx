// The shops that the operator may see, with their last hour. Where there is one, it opens by itself.
import { useEffect, useMemo } from 'preact/hooks'
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { address, go } from '../../frame/address.ts'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { useIsOwner } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { useTitle } from '../../frame/title.ts'
import { List, type ListConfig } from '../../parts/list/list.tsx'
import { asCurl } from '../../parts/list/ways.ts'
import { Shown, Waiting } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import { NEW_SHOP, type Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { NewShop } from './new-shop.tsx'
import { ShopEndpoints, ShopFailures, ShopRequests } from './shop-facts.tsx'

const { columns: text } = words.allShops
type ShopQuery = NonNullable<Parameters<BackOffice['shops']['list']>[0]>

export function Shops() {
  useTitle(words.frame.shops)
  const isOwner = useIsOwner()
  const { search } = useStore(address)
  const isNew = isOwner && new URLSearchParams(search).has('new')
  const first = useLoad('shops', (signal) => firstPage(api.shops.list({ limit: 2 }, { signal })))
  const [only, other] = first.data?.data ?? []
  const target = other === undefined && !isNew ? only?.handle : undefined
  useEffect(() => {
    if (target !== undefined) go(`/s/${target}`, { replace: true })
  }, [target])
  const config = useMemo(() => shopsList(isOwner), [isOwner])
  if (isNew) {
    return (
      <div class="screen">
        <NewShop />
      </div>
    )
  }
  if (first.data === null || target !== undefined) {
    return (
      <div class="screen">
        <h1>{words.frame.shops}</h1>
        <Shown of={first}>{() => <Waiting />}</Shown>
      </div>
    )
  }
  return (
    <div class="screen">
      <List config={config} openId={null} changed={null} />
    </div>
  )
}

function shopsList(isOwner: boolean): ListConfig<Shop> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone // The shops have different ones.
  const create = isOwner ? (
    <a class="button" href={NEW_SHOP}>
      {words.allShops.create}
    </a>
  ) : null
  return {
    name: 'shops',
    title: words.frame.shops,
    path: '/',
    zone,
    filters: [],
    columns: [
      { label: text.name, cell: ({ name }) => name },
      { label: text.endpoints, cell: (shop) => <ShopEndpoints shop={shop} /> },
      { label: text.currency, cell: ({ currency }) => currency, isExtra: true },
      {
        label: text.mode,
        cell: ({ mode }) => mode === 'test' && <span class="tag">{words.frame.testShop}</span>,
        isExtra: true,
      },
      { label: text.requests, cell: (shop) => <ShopRequests shop={shop} />, isNumber: true },
      { label: text.failed, cell: (shop) => <ShopFailures shop={shop} />, isNumber: true },
      {
        label: text.created,
        cell: ({ createdAt }) => <When at={createdAt} zone={zone} />,
        isNumber: true,
        isExtra: true,
      },
    ],
    idOf: ({ handle }) => handle,
    timeOf: ({ createdAt }) => createdAt,
    hrefOf: ({ handle }) => `/s/${handle}`,
    list: (query, signal) => api.shops.list(query as ShopQuery, { signal }),
    actions: [],
    exports: [],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: '/shops', query }),
      { name: 'command', text: 'storefront shops list' },
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `/shops/${id}` }).text,
    empty: { sentence: isOwner ? words.allShops.empty : words.frame.noShops, action: create },
    buttons: create,
  }
}
