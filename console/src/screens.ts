// The table of screens: the side bar, the router and the palette read it. The code of each is named in screen-code.ts, which screens
// do not import, so that they may link to one another. README.md beside `src` says how a screen is made.
import type { BackOfficeSchemas } from '../../clients/typescript/src/client.ts'
import type { Role } from './frame/session.ts'
import type { words } from './words/en.ts'

export type Shop = BackOfficeSchemas['ShopRecord']
/** What a screen gets. `id` is the object of the address, `shop` is there below `/s/{shop}`. */
export type ScreenProps = { shop: Shop; id: string | null }
/** The groups of the side bar, in their order. */
export const jobs = ['activity', 'shop', 'connect', 'setUp'] as const
export type Found = { href: string; title: string; about: string }

export type Screen = {
  /** Names it in the words and in links. */
  name: keyof typeof words.screens
  /** Below `/s/{shop}`: `orders` stands for `/s/{shop}/orders` and `/s/{shop}/orders/{id}`. */
  path: string
  job: (typeof jobs)[number]
  /** Who may see it. */
  roles: readonly Role[]
}

const everybody: readonly Role[] = ['owner', 'manager', 'viewer', 'support']

export const screens: readonly Screen[] = [
  {
    name: 'orders',
    path: 'orders',
    job: 'shop',
    roles: everybody,
  },
  {
    name: 'keys',
    path: 'keys',
    job: 'connect',
    roles: everybody,
  },
  {
    name: 'webhooks',
    path: 'webhooks',
    job: 'connect',
    roles: everybody,
  },
  {
    name: 'audit',
    path: 'audit',
    job: 'setUp',
    roles: ['owner', 'manager', 'viewer'],
  },
]

/** The address of a screen or of one of its objects; null where the screen is not built or the role may not see it. */
export function hrefOf(name: Screen['name'], shop: string, role: string, id?: string): string | null {
  const screen = screens.find((one) => one.name === name)
  if (screen === undefined || !screen.roles.some((may) => may === role)) return null
  return `/s/${shop}${screen.path === '' ? '' : `/${screen.path}`}${id === undefined ? '' : `/${id}`}`
}

/** The shop, the screen and the object that a path names. */
export function placeOf(path: string): { shop: string; screen: Screen | null; id: string | null } | null {
  const [, first, shop = '', part = '', id, ...more] = path.split('/')
  if (first !== 's' || shop === '') return null
  const screen = more.length > 0 ? undefined : screens.find((one) => one.path === part)
  return { shop: decoded(shop), screen: screen ?? null, id: id === undefined || id === '' ? null : decoded(id) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // Not a shop: the API says so.
  }
}
