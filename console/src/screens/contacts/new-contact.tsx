// Creates a contact, and opens it.
import { useMemo } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { callKeys } from '../../parts/fields/changes.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Problem } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ContactForm } from './contact-form.tsx'
import { createContact, firstOf } from './save-contact.ts'

type NewContactProps = {
  shop: Shop
  mayChange: boolean
  place: Place
  /** The list must be read again. */
  created: () => void
}

const text = words.forms.contact

export function NewContact({ shop, mayChange, place, created }: NewContactProps) {
  const keyOf = useMemo(callKeys, [])
  return (
    <>
      <ObjectHead name={text.new} place={place} />
      {mayChange ? (
        <ContactForm
          first={firstOf(null, shop)}
          submit={text.create}
          isChange={false}
          cancel={place.close}
          send={async (typed) => {
            const { id } = await createContact(shop, typed, keyOf)
            created()
            go(`/s/${shop.handle}/contacts/${id}`)
          }}
        />
      ) : (
        <Problem error={words.forms.roleMayNot} />
      )}
    </>
  )
}
