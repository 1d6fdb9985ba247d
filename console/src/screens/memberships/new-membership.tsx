// Signs a contact up for a product of the kind membership, and opens the membership.
import { useMemo, useState } from 'preact/hooks'
import { address, go } from '../../frame/address.ts'
import { FieldProblem } from '../../frame/errors.ts'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { isId, orNone } from '../../frame/or-none.ts'
import { api } from '../../frame/session.ts'
import { callKeys, numberOrNull } from '../../parts/fields/changes.ts'
import { ChoiceField, TextField } from '../../parts/fields/fields.tsx'
import { Form } from '../../parts/form.tsx'
import { MEMBER } from '../../parts/list/filters.ts'
import { moneyWords } from '../../parts/money.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Empty, Problem, Shown } from '../../parts/state.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { nameOf } from '../contacts/contact.ts'
import type { Membership } from './membership.ts'

type NewMembershipProps = {
  shop: Shop
  mayChange: boolean
  place: Place
  /** The list must be read again. */
  created: () => void
}
type Offer = { id: string; words: string }
type FieldsProps = { shop: Shop; offers: readonly Offer[]; cancel: () => void; created: () => void }
type Start = (shop: string, body: object, options: { idempotencyKey: string }) => Promise<Membership>

const text = words.forms.membership
const ROWS = 100
const rails = [
  'bank_transfer',
  'cod',
  'paypal',
  'venmo',
  'whatsapp',
  'telegram',
  'instagram',
  'email',
  'phone',
] as const
// The form makes the body; the API checks it.
const untyped = (method: unknown) => method
const start = untyped(api.subscriptions.create) as Start

export function NewMembership({ shop, mayChange, place, created }: NewMembershipProps) {
  const products = useLoad<Offer[]>(`membership products ${shop.handle}`, async (signal) => {
    const { data } = await firstPage(api.products.list(shop.handle, { kind: ['membership'], limit: ROWS }, { signal }))
    return data.map(({ id, title, price }) => ({ id, words: `${title}, ${moneyWords(price)}` }))
  })
  return (
    <>
      <ObjectHead name={text.new} place={place} />
      {mayChange ? (
        <Shown of={products} rows={4}>
          {(offers) =>
            offers.length === 0 ? (
              <Empty sentence={text.noProduct}>
                <a class="button" href={`/s/${shop.handle}/products/new`}>
                  {words.forms.product.new}
                </a>
              </Empty>
            ) : (
              <Fields shop={shop} offers={offers} cancel={place.close} created={created} />
            )
          }
        </Shown>
      ) : (
        <Problem error={words.forms.roleMayNot} />
      )}
    </>
  )
}

function Fields({ shop, offers, cancel, created }: FieldsProps) {
  const contacts = useLoad(`newest contacts ${shop.handle}`, async (signal) => {
    const { data } = await firstPage(api.contacts.list(shop.handle, { limit: ROWS }, { signal }))
    return data.map((contact) => ({ value: contact.email ?? contact.id, words: nameOf(contact) }))
  })
  const keyOf = useMemo(callKeys, [])
  const [productId, setProductId] = useState(offers[0]?.id ?? '')
  const [member, setMember] = useState(new URLSearchParams(address.get().search).get(MEMBER) ?? '')
  const [billingMode, setBillingMode] = useState<'processor' | 'manual'>('processor')
  const [rail, setRail] = useState<(typeof rails)[number] | ''>('')
  const [trialDays, setTrialDays] = useState('')
  const [firstPayment, setFirstPayment] = useState<'paid' | 'open'>('paid')
  const send = async () => {
    const clientId = await contactOf(shop.handle, member.trim())
    const body = {
      productId,
      clientId,
      billingMode,
      firstPayment,
      ...(billingMode === 'manual' && rail !== '' ? { paymentMethod: rail } : {}),
      ...(trialDays.trim() === '' ? {} : { trialDays: numberOrNull(trialDays) }),
    }
    const { id } = await start(shop.handle, body, { idempotencyKey: keyOf(body) })
    created()
    go(`/s/${shop.handle}/memberships/${id}`)
  }
  return (
    <Form submit={text.create} send={send} cancel={cancel}>
      <ChoiceField
        name="productId"
        label={text.product}
        value={productId}
        set={setProductId}
        options={offers.map((offer) => [offer.id, offer.words])}
      />
      <TextField
        name="clientId"
        label={text.member}
        hint={text.memberHint}
        isRequired
        known={contacts.data ?? []}
        value={member}
        set={setMember}
      />
      <ChoiceField
        name="billingMode"
        label={text.billing}
        value={billingMode}
        set={setBillingMode}
        options={[
          ['processor', text.billingModes.processor],
          ['manual', text.billingModes.manual],
        ]}
      />
      {billingMode === 'manual' && (
        <ChoiceField
          name="paymentMethod"
          label={text.paymentMethod}
          value={rail}
          set={setRail}
          options={[['', text.notSaid], ...rails.map((one) => [one, one] as const)]}
        />
      )}
      <div class="field-row">
        <TextField
          name="trialDays"
          label={text.trialDays}
          hint={text.trialHint}
          mode="numeric"
          value={trialDays}
          set={setTrialDays}
        />
        <ChoiceField
          name="firstPayment"
          label={text.firstPayment}
          hint={text.firstHint}
          value={firstPayment}
          set={setFirstPayment}
          options={[
            ['paid', text.firstPayments.paid],
            ['open', text.firstPayments.open],
          ]}
        />
      </div>
    </Form>
  )
}

/** The id of the contact that is named by its email or its id. Throws where there is none. */
async function contactOf(shop: string, named: string): Promise<string> {
  const found = isId(named)
    ? await orNone(api.contacts.get(shop, named))
    : named.includes('@')
      ? (await firstPage(api.contacts.list(shop, { email: named, limit: 1 }))).data[0]
      : null
  if (found === null || found === undefined) throw new FieldProblem('clientId', text.nobody)
  return found.id
}
