// Places a test order: an item of the catalogue, or one that is typed, and a buyer.
import { useState } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { Field, Form } from '../../parts/form.tsx'
import { centsOf, moneyWords, zeroOf } from '../../parts/money.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

type PlaceOrderProps = {
  shop: Shop
  isAlone: boolean
  close: () => void
  /** The list beside it is to be read again. */
  placed: () => void
}

const { place: text } = words.orders
const methods = ['card', 'bank_transfer', 'cod', 'paypal'] as const
const TYPED = ''

export function PlaceOrder({ shop, isAlone, close, placed }: PlaceOrderProps) {
  const products = useLoad(`products ${shop.handle}`, async (signal) => {
    const { data } = await firstPage(api.products.list(shop.handle, { limit: 50 }, { signal }))
    return data
  })
  const [productId, setProductId] = useState(TYPED)
  const [quantity, setQuantity] = useState('1')
  const [title, setTitle] = useState<string>(text.sampleTitle)
  const [price, setPrice] = useState('10')
  const [method, setMethod] = useState<string>('card')
  const [email, setEmail] = useState<string>(text.sampleEmail)
  const send = async () => {
    const count = Number(quantity)
    const like = zeroOf(shop.currency)
    const item =
      productId === TYPED
        ? { title, kind: 'physical' as const, quantity: count, unitPrice: { cents: centsOf(price, like) ?? 0 } }
        : { productId, quantity: count }
    const order = await api.orders.place(
      shop.handle,
      { paymentMethod: method as 'card', customer: { name: text.sampleName, email }, items: [item] },
      { idempotencyKey: crypto.randomUUID() },
    )
    placed()
    go(`/s/${shop.handle}/orders/${order.id}`)
  }
  return (
    <div class="place-order">
      {isAlone ? <h1>{words.orders.placeTest}</h1> : <h2>{words.orders.placeTest}</h2>}
      <p class="soft">{text.about}</p>
      <Form submit={text.submit} send={send} cancel={close}>
        <Field name="items[0]" label={text.product}>
          <select value={productId} onChange={({ currentTarget }) => setProductId(currentTarget.value)}>
            <option value={TYPED}>{text.typed}</option>
            {(products.data ?? []).map(({ id, title: name, price: cost }) => (
              <option key={id} value={id}>
                {name} {moneyWords(cost)}
              </option>
            ))}
          </select>
        </Field>
        {productId === TYPED && (
          <Field name="items[0].title" label={text.title}>
            <input required value={title} onInput={({ currentTarget }) => setTitle(currentTarget.value)} />
          </Field>
        )}
        {productId === TYPED && (
          <Field name="items[0].unitPrice" label={text.price(shop.currency)}>
            <input
              required
              inputMode="decimal"
              value={price}
              onInput={({ currentTarget }) => setPrice(currentTarget.value)}
            />
          </Field>
        )}
        <Field name="items[0].quantity" label={text.quantity}>
          <input
            type="number"
            min="1"
            required
            value={quantity}
            onInput={({ currentTarget }) => setQuantity(currentTarget.value)}
          />
        </Field>
        <Field label={words.orders.paymentMethod}>
          <select value={method} onChange={({ currentTarget }) => setMethod(currentTarget.value)}>
            {methods.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Field>
        <Field name="customer.email" label={text.email} hint={text.emailHint}>
          <input type="email" required value={email} onInput={({ currentTarget }) => setEmail(currentTarget.value)} />
        </Field>
      </Form>
    </div>
  )
}
