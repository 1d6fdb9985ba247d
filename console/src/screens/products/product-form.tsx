// The fields of a product, to create one or to change it. Those of another kind are not shown.
import { useState } from 'preact/hooks'
import { CheckField, ChoiceField, LinesField, TextField } from '../../parts/fields/fields.tsx'
import { Form } from '../../parts/form.tsx'
import { words } from '../../words/en.ts'
import { kinds, type TypedProduct } from './product-input.ts'
import { VariantFields } from './variant-fields.tsx'

type ProductFormProps = {
  first: TypedProduct
  currency: string
  submit: string
  /** Of a product that exists; without, the API makes the slug. */
  hasSlug: boolean
  /** Throws the refusal. */
  send: (typed: TypedProduct) => Promise<void>
  cancel: () => void
}
type PartProps = { typed: TypedProduct; put: (part: Partial<TypedProduct>) => void }

const text = words.forms.product

export function ProductForm({ first, currency, submit, hasSlug, send, cancel }: ProductFormProps) {
  const [typed, setTyped] = useState(first)
  const put = (part: Partial<TypedProduct>) => setTyped((before) => ({ ...before, ...part }))
  return (
    <Form submit={submit} send={() => send(typed)} cancel={cancel}>
      <TextField name="title" label={text.title} isRequired value={typed.title} set={(title) => put({ title })} />
      <div class="field-row">
        <ChoiceField
          name="kind"
          label={text.kind}
          value={typed.kind}
          set={(kind) => put({ kind })}
          options={kinds.map((kind) => [kind, text.kinds[kind]])}
        />
        <TextField
          name="price"
          label={text.price(currency)}
          isRequired
          mode="decimal"
          value={typed.price}
          set={(price) => put({ price })}
        />
        <TextField
          name="compareAt"
          label={text.compareAt}
          mode="decimal"
          value={typed.compareAt}
          set={(compareAt) => put({ compareAt })}
        />
      </div>
      <OfKind typed={typed} put={put} />
      <LinesField
        name="description"
        label={text.description}
        rows={5}
        value={typed.description}
        set={(description) => put({ description })}
      />
      <Stock typed={typed} put={put} />
      <VariantFields typed={typed} put={put} currency={currency} />
      <LinesField
        name="tags"
        label={text.tags}
        hint={words.forms.oneALine}
        value={typed.tags}
        set={(tags) => put({ tags })}
      />
      {hasSlug && (
        <TextField
          name="slug"
          label={text.slug}
          hint={text.slugHint}
          isRequired
          value={typed.slug}
          set={(slug) => put({ slug })}
        />
      )}
      <CheckField
        label={text.published}
        hint={text.publishedHint}
        isOn={typed.isPublished}
        set={(isPublished) => put({ isPublished })}
      />
      <CheckField label={text.featured} isOn={typed.isFeatured} set={(isFeatured) => put({ isFeatured })} />
    </Form>
  )
}

function OfKind({ typed, put }: PartProps) {
  if (typed.kind === 'service')
    return (
      <div class="field-row">
        <TextField
          name="booking.durationMinutes"
          label={text.duration}
          mode="numeric"
          value={typed.durationMinutes}
          set={(durationMinutes) => put({ durationMinutes })}
        />
        <ChoiceField
          name="booking.serviceMode"
          label={text.mode}
          value={typed.serviceMode}
          set={(serviceMode) => put({ serviceMode })}
          options={[
            ['', text.modes.none],
            ['in_person', text.modes.in_person],
            ['online', text.modes.online],
          ]}
        />
        <TextField
          name="booking.leadHours"
          label={text.leadHours}
          mode="numeric"
          value={typed.leadHours}
          set={(leadHours) => put({ leadHours })}
        />
      </div>
    )
  if (typed.kind === 'event')
    return (
      <TextField
        name="event"
        label={text.startsAt}
        type="datetime-local"
        value={typed.startsAt}
        set={(startsAt) => put({ startsAt })}
      />
    )
  if (typed.kind !== 'membership') return null
  return (
    <div class="field-row">
      <ChoiceField
        name="membership.interval"
        label={text.interval}
        value={typed.interval}
        set={(interval) => put({ interval })}
        options={[
          ['month', text.intervals.month],
          ['year', text.intervals.year],
        ]}
      />
      <TextField
        name="membership.trialDays"
        label={text.trialDays}
        hint={text.trialHint}
        mode="numeric"
        value={typed.trialDays}
        set={(trialDays) => put({ trialDays })}
      />
    </div>
  )
}

function Stock({ typed, put }: PartProps) {
  return (
    <>
      <CheckField
        label={text.track}
        hint={text.trackHint}
        isOn={typed.trackInventory}
        set={(trackInventory) => put({ trackInventory })}
      />
      {typed.trackInventory && typed.variants.length === 0 && (
        <TextField name="stock" label={text.stock} mode="numeric" value={typed.stock} set={(stock) => put({ stock })} />
      )}
    </>
  )
}
