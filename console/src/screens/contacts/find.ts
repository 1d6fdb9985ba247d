// Finds contacts for the palette: one by its id or by the email.
import { firstPage } from '../../frame/first-page.ts'
import { isId, orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import type { Found } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Contact, nameOf } from './contact.ts'

export async function findContacts(shop: string, text: string, signal: AbortSignal): Promise<Found[]> {
  const found = isId(text) ? await orNone(api.contacts.get(shop, text, { signal })) : await byEmail(shop, text, signal)
  if (found === null) return []
  const { id, email } = found
  return [
    {
      href: `/s/${shop}/contacts/${id}`,
      title: nameOf(found),
      about: email === null ? words.screens.contacts : `${words.screens.contacts} · ${email}`,
    },
  ]
}

async function byEmail(shop: string, email: string, signal: AbortSignal): Promise<Contact | null> {
  if (!/^\S+@\S+$/.test(email)) return null
  const { data } = await firstPage(api.contacts.list(shop, { email, limit: 1 }, { signal }))
  return data[0] ?? null
}
