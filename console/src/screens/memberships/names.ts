// The names of members and products, which a membership only names by id. Each is asked for once while the screen is shown.
import { useEffect, useState } from 'preact/hooks'
import { orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import { words } from '../../words/en.ts'
import { nameOf } from '../contacts/contact.ts'

export type Names = { member(id: string): Promise<string>; product(id: string): Promise<string> }

export function namesOf(shop: string): Names {
  const known = new Map<string, Promise<string>>()
  const once = (id: string, ask: () => Promise<string>) => {
    const name = known.get(id) ?? ask()
    known.set(id, name)
    return name
  }
  return {
    member: (id) =>
      once(id, async () => {
        const contact = await orNone(api.contacts.get(shop, id))
        return contact === null ? words.memberships.erasedMember : nameOf(contact)
      }),
    product: (id) =>
      once(id, async () => (await orNone(api.products.get(shop, id)))?.title ?? words.memberships.deletedProduct),
  }
}

/** The name, or the text in its place until it has come; that stays when the call fails. */
export function useName(id: string | null, ask: (id: string) => Promise<string>, instead: string): string {
  const [name, setName] = useState<{ id: string; name: string } | null>(null)
  useEffect(() => {
    if (id === null) return
    ask(id).then(
      (found) => setName({ id, name: found }),
      () => setName(null),
    )
  }, [id, ask])
  return name !== null && name.id === id ? name.name : instead
}
