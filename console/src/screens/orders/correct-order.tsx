// Corrects an order: the buyer, the address where it is delivered, and the private note. docs/spec/order-states.md#correct-an-order
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { addressBody, type TypedAddress, typedAddress } from '../../parts/fields/address.ts'
import { AddressFields } from '../../parts/fields/address-fields.tsx'
import { type Body, changesOf, textOrNull } from '../../parts/fields/changes.ts'
import { LinesField, TextField } from '../../parts/fields/fields.tsx'
import { Form } from '../../parts/form.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Order } from './order.ts'

type CorrectOrderProps = { shop: Shop; order: Order; cancel: () => void; saved: (order: Order) => void }
type Typed = { name: string; email: string; phone: string; address: TypedAddress; privateNote: string }

const text = words.forms.order

export function CorrectOrder({ shop, order, cancel, saved }: CorrectOrderProps) {
  const [first] = useState<Typed>(() => ({
    name: order.customer.name ?? '',
    email: order.customer.email ?? '',
    phone: order.customer.phone ?? '',
    address: typedAddress(order.address),
    privateNote: '',
  }))
  const [typed, setTyped] = useState(first)
  const put = (part: Partial<Typed>) => setTyped((before) => ({ ...before, ...part }))
  const isDelivered = order.delivery.method !== null
  const send = async () => {
    const body = changesOf(bodyOf(first), bodyOf(typed))
    saved(await api.orders.change(shop.handle, order.id, body))
  }
  return (
    <Form submit={words.forms.save} send={send} cancel={cancel}>
      <TextField name="customer.name" label={text.name} value={typed.name} set={(name) => put({ name })} />
      <div class="field-row">
        <TextField name="customer.email" label={text.email} value={typed.email} set={(email) => put({ email })} />
        <TextField
          name="customer.phone"
          label={text.phone}
          type="tel"
          value={typed.phone}
          set={(phone) => put({ phone })}
        />
      </div>
      {isDelivered && <AddressFields value={typed.address} set={(address) => put({ address })} />}
      <LinesField
        name="privateNote"
        label={text.note}
        hint={text.noteHint}
        value={typed.privateNote}
        set={(privateNote) => put({ privateNote })}
      />
    </Form>
  )
}

function bodyOf({ name, email, phone, address, privateNote }: Typed): Body {
  const note = textOrNull(privateNote)
  return {
    customer: { name: textOrNull(name), email: textOrNull(email), phone: textOrNull(phone) },
    address: addressBody(address),
    ...(note === null ? {} : { privateNote: note }), // The API does not show it: blank keeps it.
  }
}
