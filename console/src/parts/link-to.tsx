// A link to an object of another screen; the text alone where that screen is not there for the role.
import type { ComponentChildren } from 'preact'
import { session } from '../frame/session.ts'
import { hrefOf, type Shop } from '../screens.ts'

type LinkToProps = {
  name: Parameters<typeof hrefOf>[0]
  shop: Shop
  id?: string
  /** With its `?`. */
  search?: string
  children: ComponentChildren
}

export function LinkTo({ name, shop, id, search = '', children }: LinkToProps) {
  const now = session.get()
  const href = now.state === 'in' ? hrefOf(name, shop.handle, now.operator.role, id) : null
  if (href === null) return <>{children}</>
  return <a href={href + search}>{children}</a>
}
