// What can be done to a contact: its form, taking what is held about the person, and erasing it. That cannot be taken back, so it says what goes and what stays, and asks for a typed word.
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { Field, Form } from '../../parts/form.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { type Edit, EditButton } from '../../parts/object/edit.tsx'
import { SeeHow } from '../../parts/see-how.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

type EraseProps = { shop: Shop; id: string; mayChange: boolean; edit: Edit; erased: () => void }

const text = words.contacts

export function Erase({ shop, id, mayChange, edit, erased }: EraseProps) {
  const [isOpen, setOpen] = useState(false)
  const [why, setWhy] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const path = `/shops/${shop.handle}/contacts/${id}/erase`
  const send = async () => {
    await api.contacts.erase(shop.handle, id, {}, { idempotencyKey: crypto.randomUUID() })
    erased()
  }
  const press = () => {
    if (mayChange) setOpen(!isOpen)
    else setWhy(`${text.erase}: ${text.eraseReason}`)
  }
  return (
    <section class="moves" aria-label={text.moves}>
      <div class="buttons">
        <EditButton edit={edit} say={setWhy} />
        <TakeData shop={shop} id={id} mayTake={mayChange} say={setWhy} />
        <button
          type="button"
          class={isOpen ? 'pressed' : ''}
          aria-disabled={!mayChange}
          aria-expanded={isOpen}
          title={mayChange ? undefined : text.eraseReason}
          onClick={press}
        >
          {text.erase}
        </button>
      </div>
      {isOpen && (
        <div class="move-form">
          <Form submit={text.erase} isDangerous send={send} cancel={() => setOpen(false)}>
            <p>{text.eraseAbout}</p>
            <Field label={text.eraseField}>
              <input
                required
                autocomplete="off"
                spellcheck={false}
                pattern={text.eraseWord}
                value={typed}
                onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              />
            </Field>
          </Form>
          <SeeHow
            ways={[
              asCurl(location.origin, { method: 'POST', path, body: {} }),
              asCommand(`contacts erase ${id}`, shop.handle),
            ]}
          />
        </div>
      )}
      <p class="result" role="status">
        {why}
      </p>
    </section>
  )
}

type TakeDataProps = { shop: Shop; id: string; mayTake: boolean; say: (why: string) => void }

// The browser saves the answer as it comes: a person may have any number of orders.
function TakeData({ shop, id, mayTake, say }: TakeDataProps) {
  if (mayTake) {
    return (
      <a class="button" href={`/admin/v1/shops/${shop.handle}/contacts/${id}/data`} download={`person-${id}.json`}>
        {text.takeData}
      </a>
    )
  }
  return (
    <button
      type="button"
      aria-disabled
      title={text.takeDataReason}
      onClick={() => say(`${text.takeData}: ${text.takeDataReason}`)}
    >
      {text.takeData}
    </button>
  )
}
