// The form of a new shop, for owners.
import { useState } from 'preact/hooks'
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { go } from '../../frame/address.ts'
import { api } from '../../frame/session.ts'
import { useTitle } from '../../frame/title.ts'
import { Field, Form } from '../../parts/form.tsx'
import { words } from '../../words/en.ts'

const { fields, ...text } = words.allShops
const HANDLE_MAX = 63
const plans = ['pro', 'basic'] as const
const modes = ['live', 'test'] as const
type ShopInput = Parameters<BackOffice['shops']['create']>[0]

export function NewShop() {
  useTitle(text.create)
  const [name, setName] = useState('')
  const [handle, setHandle] = useState<string | null>(null)
  const [currency, setCurrency] = useState('')
  const [timeZone, setTimeZone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [country, setCountry] = useState('')
  const [ownerEmail, setOwnerEmail] = useState('')
  const [plan, setPlan] = useState<(typeof plans)[number]>('pro')
  const [mode, setMode] = useState<(typeof modes)[number]>('live')
  const ownHandle = handle ?? handleOf(name)
  const send = async () => {
    const facts: ShopInput = {
      name,
      handle: ownHandle,
      currency: currency.toUpperCase(),
      timeZone,
      country: country === '' ? null : country.toUpperCase(),
      ownerEmail: ownerEmail === '' ? null : ownerEmail,
      plan,
      mode,
    }
    const made = await api.shops.create(facts, { idempotencyKey: crypto.randomUUID() })
    go(`/s/${made.handle}`)
  }
  return (
    <section class="object new-shop">
      <h1>{text.create}</h1>
      <Form submit={text.submit} send={send} cancel={() => go('/')}>
        <Field label={fields.name}>
          <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label={fields.handle} hint={fields.handleHint}>
          <input
            required
            spellcheck={false}
            minLength={2}
            maxLength={HANDLE_MAX}
            pattern="[a-z0-9][a-z0-9\-]*[a-z0-9]"
            value={ownHandle}
            onInput={({ currentTarget }) => setHandle(currentTarget.value)}
          />
        </Field>
        <Field label={fields.currency} hint={fields.currencyHint}>
          <input
            required
            list="currencies"
            maxLength={3}
            value={currency}
            onInput={({ currentTarget }) => setCurrency(currentTarget.value)}
          />
        </Field>
        <Choices id="currencies" values={Intl.supportedValuesOf('currency')} />
        <Field label={fields.timeZone}>
          <input
            required
            list="time-zones"
            value={timeZone}
            onInput={({ currentTarget }) => setTimeZone(currentTarget.value)}
          />
        </Field>
        <Choices id="time-zones" values={Intl.supportedValuesOf('timeZone')} />
        <Field label={fields.country} hint={fields.countryHint}>
          <input maxLength={2} value={country} onInput={({ currentTarget }) => setCountry(currentTarget.value)} />
        </Field>
        <Field label={fields.ownerEmail} hint={fields.ownerEmailHint}>
          <input type="email" value={ownerEmail} onInput={({ currentTarget }) => setOwnerEmail(currentTarget.value)} />
        </Field>
        <Select label={fields.plan} names={text.plans} values={plans} value={plan} choose={setPlan} />
        <Select label={fields.mode} names={text.modes} values={modes} value={mode} choose={setMode} />
      </Form>
    </section>
  )
}

function Choices({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  )
}

type SelectProps<Value extends string> = {
  label: string
  names: Readonly<Record<Value, string>>
  values: readonly Value[]
  value: Value
  choose(value: NoInfer<Value>): void
}

function Select<Value extends string>({ label, names, values, value, choose }: SelectProps<Value>) {
  return (
    <Field label={label}>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = values.find((one) => one === currentTarget.value)
          if (chosen !== undefined) choose(chosen)
        }}
      >
        {values.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </Field>
  )
}

// `Blue Mug & Co` becomes `blue-mug-co`.
function handleOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, HANDLE_MAX)
    .replaceAll(/^-|-$/g, '')
}
