// A link to an object of a screen, where that screen is there for the role; else the text alone.
import type { ComponentChildren } from 'preact'
import { session } from '../../frame/session.ts'
import { hrefOf, type Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

type LinkToProps = { name: Parameters<typeof hrefOf>[0]; shop: Shop; id: string; children: ComponentChildren }

export function LinkTo({ name, shop, id, children }: LinkToProps) {
  const now = session.get()
  const href = now.state === 'in' ? hrefOf(name, shop.handle, now.operator.role, id) : null
  if (href === null) return <>{children}</>
  return <a href={href}>{children ?? words.open}</a>
}
