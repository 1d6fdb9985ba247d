// The names of shops, which operators and audit entries name by id: of the newest ones, and of those that were looked up.
import { useCallback, useState } from 'preact/hooks'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { shortId } from '../../parts/copy.tsx'
import type { Shop } from '../../screens.ts'

const NEWEST = 100

export type ShopNames = { shops: readonly Shop[]; add(shop: Shop): void }

export function useShopNames(): ShopNames {
  // Refused or failed, the ids stand in the place of the names.
  const newest = useLoad('shop names', (signal) => firstPage(api.shops.list({ limit: NEWEST }, { signal })))
  const [added, setAdded] = useState<readonly Shop[]>([])
  const add = useCallback((shop: Shop) => setAdded((before) => [...before, shop]), [])
  return { shops: [...added, ...(newest.data?.data ?? [])], add }
}

/** A short form of the id where the name is not known. */
export function nameIn({ shops }: ShopNames, id: string): string {
  return shops.find((shop) => shop.id === id)?.name ?? shortId(id)
}
