// The table of screens: the side bar, the router and the palette read it. The code of each is named in screen-code.ts, which screens
// do not import, so that they may link to one another. README.md beside `src` says how a screen is made.
import type { BackOfficeSchemas } from '../../clients/typescript/src/client.ts'
import type { words } from './words/en.ts'

export type Role = 'owner' | 'manager' | 'viewer' | 'support'
export type Shop = BackOfficeSchemas['ShopRecord']
/** What a screen gets. `id` is the object of the address, `shop` is there below `/s/{shop}`. */
export type ScreenProps = { shop: Shop; id: string | null }
/** What a screen of all shops gets, such as `/operators`. `lastShop` is the handle of the shop that was open before. */
export type WideScreenProps = { id: string | null; lastShop: string | null }
/** The groups of the side bar, in their order. */
export const jobs = ['activity', 'shop', 'connect', 'setUp'] as const
export type Found = { href: string; title: string; about: string }

export type Screen = {
  /** Names it in the words and in links. */
  name: keyof typeof words.screens
  /** Below `/s/{shop}`: `orders` stands for `/s/{shop}/orders` and `/s/{shop}/orders/{id}`; empty for `/s/{shop}` itself. */
  path: string
  /** Of all shops: `operators` stands for `/operators` and `/operators/{id}`. */
  isWide?: true
  job: (typeof jobs)[number]
  /** Who may see it. */
  roles: readonly Role[]
}

/** The address of the form of a new shop. */
export const NEW_SHOP = '/?new=1'

const everybody: readonly Role[] = ['owner', 'manager', 'viewer', 'support']

export const screens: readonly Screen[] = [
  { name: 'overview', path: '', job: 'activity', roles: everybody },
  { name: 'events', path: 'events', job: 'activity', roles: everybody },
  { name: 'deliveries', path: 'deliveries', job: 'activity', roles: everybody },
  { name: 'requests', path: 'requests', job: 'activity', roles: everybody },
  { name: 'orders', path: 'orders', job: 'shop', roles: everybody },
  { name: 'products', path: 'products', job: 'shop', roles: everybody },
  { name: 'contacts', path: 'contacts', job: 'shop', roles: everybody },
  { name: 'memberships', path: 'memberships', job: 'shop', roles: everybody },
  { name: 'keys', path: 'keys', job: 'connect', roles: everybody },
  { name: 'webhooks', path: 'webhooks', job: 'connect', roles: everybody },
  { name: 'agents', path: 'agents', job: 'connect', roles: everybody },
  { name: 'reference', path: 'reference', isWide: true, job: 'connect', roles: everybody },
  { name: 'import', path: 'import', job: 'setUp', roles: everybody },
  { name: 'audit', path: 'audit', job: 'setUp', roles: ['owner', 'manager', 'viewer'] },
  { name: 'operators', path: 'operators', isWide: true, job: 'setUp', roles: ['owner'] },
  { name: 'auditAll', path: 'audit', isWide: true, job: 'setUp', roles: ['owner'] },
]

/**
 * The address of a screen or of one of its objects; null where the screen is not built, the role may not see it, or it needs a shop
 * and there is none.
 */
export function hrefOf(name: Screen['name'], shop: string | null, role: string, id?: string): string | null {
  const screen = screens.find((one) => one.name === name)
  if (screen === undefined || !screen.roles.some((may) => may === role)) return null
  if (screen.isWide !== true && shop === null) return null
  const start = screen.isWide === true ? '' : `/s/${shop}`
  return `${start}${screen.path === '' ? '' : `/${screen.path}`}${id === undefined ? '' : `/${id}`}`
}

export type Place = { shop: string | null; screen: Screen | null; id: string | null }

/** The shop, the screen and the object that a path names. */
export function placeOf(path: string): Place | null {
  const parts = path.slice(1).split('/').map(decoded)
  const isOfShop = parts[0] === 's'
  const [shop, part, id, ...more] = isOfShop ? parts.slice(1) : [null, ...parts]
  const screen = screens.find((one) => one.path === (part ?? '') && (one.isWide === true) !== isOfShop)
  if (isOfShop ? (shop ?? '') === '' : screen === undefined || more.length > 0) return null
  return { shop: shop ?? null, screen: more.length > 0 ? null : (screen ?? null), id: id === '' ? null : (id ?? null) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // Not a shop: the API says so.
  }
}
