// Contacts: the list, and one contact beside it on a wide window or alone on a narrow one.
import { useMemo, useState } from 'preact/hooks'
import { useMayChange } from '../../frame/role.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ContactDetail } from './contact-detail.tsx'
import { contactsList } from './contacts-list.tsx'

export function Contacts({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [gone, setGone] = useState<string | null>(null)
  const config = useMemo(() => contactsList(shop), [shop])
  return (
    <ListAndObject config={config} id={id} one={words.contacts.one} gone={gone}>
      {(open, place) => (
        <ContactDetail key={open} shop={shop} id={open} mayChange={mayChange} place={place} erased={setGone} />
      )}
    </ListAndObject>
  )
}
