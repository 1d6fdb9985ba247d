// Contacts: the list, and one contact beside it on a wide window or alone on a narrow one.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { useMayChange } from '../../frame/role.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ContactDetail } from './contact-detail.tsx'
import type { Contact } from './contact.ts'
import { contactsList, NEW } from './contacts-list.tsx'
import { NewContact } from './new-contact.tsx'

export function Contacts({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [gone, setGone] = useState<string | null>(null)
  const [changed, setChanged] = useState<Contact | null>(null)
  const [version, setVersion] = useState(0)
  const created = useCallback(() => setVersion((before) => before + 1), [])
  const config = useMemo(() => contactsList(shop, mayChange), [shop, mayChange])
  return (
    <ListAndObject config={config} id={id} one={words.contacts.one} changed={changed} gone={gone} version={version}>
      {(open, place) =>
        open === NEW ? (
          <NewContact shop={shop} mayChange={mayChange} place={place} created={created} />
        ) : (
          <ContactDetail
            key={open}
            shop={shop}
            id={open}
            mayChange={mayChange}
            place={place}
            changed={setChanged}
            erased={setGone}
          />
        )
      }
    </ListAndObject>
  )
}
