// One contact: who it is, whether it has agreed to news, its orders and memberships, and the way to erase the person.
import { useState } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { asCommand, asCurl, asMcp } from '../../parts/list/ways.ts'
import { addressLines, Fact } from '../../parts/object/facts.tsx'
import { type Edit, EditPanel, useEdit } from '../../parts/object/edit.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { CloseButton, ObjectHead } from '../../parts/object/object-head.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { consentOf, type Contact, nameOf } from './contact.ts'
import { ContactForm } from './contact-form.tsx'
import { mayRename } from './contact-input.ts'
import { ContactMemberships } from './contact-memberships.tsx'
import { ContactOrders } from './contact-orders.tsx'
import { Erase } from './erase.tsx'
import { changeContact, firstOf } from './save-contact.ts'

type ContactDetailProps = {
  shop: Shop
  id: string
  mayChange: boolean
  place: Place
  changed: (contact: Contact) => void
  erased: (id: string) => void
}

const text = words.contacts

export function ContactDetail({ shop, id, mayChange, place, changed, erased }: ContactDetailProps) {
  const contact = useLoad(`contact ${shop.handle} ${id}`, (signal) => api.contacts.get(shop.handle, id, { signal }))
  const [isJson, setJson] = useState(false)
  const [goneName, setGoneName] = useState<string | null>(null)
  const edit = useEdit(mayChange)
  const path = `/shops/${shop.handle}/contacts/${id}`
  const ways = [
    asCurl(location.origin, { method: 'GET', path }),
    asCommand(`contacts show ${id}`, shop.handle),
    asMcp('get_contact', { id }),
  ]
  if (goneName !== null) return <Erased name={goneName} place={place} />
  return (
    <>
      {place.isAlone && contact.data === null && <h1>{text.one}</h1>}
      <Shown of={contact} rows={8}>
        {(data) => (
          <>
            <ObjectHead name={nameOf(data)} id={id} place={place} ways={ways} isJson={isJson} setJson={setJson}>
              <Status {...consentOf(data)} />
              {data.tags.map((tag) => (
                <span class="soft" key={tag}>
                  {tag}
                </span>
              ))}
            </ObjectHead>
            <Erase
              shop={shop}
              id={id}
              mayChange={mayChange}
              edit={edit}
              erased={() => {
                setGoneName(nameOf(data))
                erased(id)
              }}
            />
            <EditPanel edit={edit}>
              {() => (
                <ChangeContact
                  shop={shop}
                  contact={data}
                  edit={edit}
                  saved={(after) => {
                    contact.put(after)
                    changed(after)
                  }}
                />
              )}
            </EditPanel>
            {isJson ? (
              <JsonView value={data} />
            ) : (
              <>
                <ContactFacts contact={data} zone={shop.timeZone} />
                <ContactOrders shop={shop} id={id} />
                <ContactMemberships shop={shop} id={id} />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  )
}

type ChangeContactProps = { shop: Shop; contact: Contact; edit: Edit; saved: (contact: Contact) => void }

function ChangeContact({ shop, contact, edit, saved }: ChangeContactProps) {
  const [first] = useState(() => firstOf(contact, shop))
  return (
    <ContactForm
      first={first}
      submit={words.forms.save}
      isChange
      mayRename={mayRename(contact)}
      cancel={edit.close}
      send={async (typed) => {
        const after = await changeContact(shop, contact, first, typed)
        if (after.id === contact.id) {
          saved(after)
          edit.saved()
        } else go(`/s/${shop.handle}/contacts/${after.id}`) // Somebody else has got its email or phone meanwhile.
      }}
    />
  )
}

function ContactFacts({ contact, zone }: { contact: Contact; zone: string }) {
  const { email, phone, address, source, marketingConsentAt, createdAt, updatedAt } = contact
  return (
    <div class="facts">
      {'redacted' in contact && <p class="soft">{text.redacted}</p>}
      <dl>
        <Fact label={text.columns.email}>{email}</Fact>
        <Fact label={text.phone}>{phone}</Fact>
        <Fact label={text.address}>{addressLines(address)}</Fact>
        <Fact label={text.columns.source}>{source}</Fact>
        <Fact label={text.consentAt}>
          {marketingConsentAt !== null && <When at={marketingConsentAt} zone={zone} />}
        </Fact>
        <Fact label={text.columns.added}>
          <When at={createdAt} zone={zone} />
        </Fact>
        <Fact label={text.changed}>
          <When at={updatedAt} zone={zone} />
        </Fact>
      </dl>
    </div>
  )
}

function Erased({ name, place }: { name: string; place: Place }) {
  return (
    <>
      <div class="object-name">
        {place.isAlone ? <h1>{text.one}</h1> : <h2>{text.one}</h2>}
        {!place.isAlone && <CloseButton close={place.close} />}
      </div>
      <p role="status">{text.erased(name)}</p>
    </>
  )
}
