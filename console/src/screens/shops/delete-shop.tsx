// Deletes a shop with everything in it, for owners: it says what goes and what stays, and asks for the handle.
import { useState } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { api } from '../../frame/session.ts'
import { Field, Form } from '../../parts/form.tsx'
import { asCurl } from '../../parts/list/ways.ts'
import { SeeHow } from '../../parts/see-how.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

const text = words.allShops.deletion

export function DeleteShop({ shop }: { shop: Shop }) {
  const { handle, name } = shop
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const send = async () => {
    await api.shops.delete(handle, { handle: typed })
    go('/')
  }
  return (
    <section class="moves delete-shop" aria-label={text.title}>
      <div class="buttons">
        <button type="button" class={isOpen ? 'pressed' : ''} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {text.title}
        </button>
      </div>
      {isOpen && (
        <div class="move-form">
          <Form submit={text.submit(name)} isDangerous send={send} cancel={() => setOpen(false)}>
            <p>{text.about}</p>
            <Field label={text.field(handle)}>
              <input
                required
                autocomplete="off"
                spellcheck={false}
                pattern={handle}
                value={typed}
                onInput={({ currentTarget }) => setTyped(currentTarget.value)}
              />
            </Field>
          </Form>
          <SeeHow
            ways={[
              asCurl(location.origin, { method: 'DELETE', path: `/shops/${handle}`, body: { handle } }),
              { name: 'command', text: `storefront shops delete ${handle}` },
            ]}
          />
        </div>
      )}
    </section>
  )
}
