// The fields of a postal address.
import { words } from '../../words/en.ts'
import type { TypedAddress } from './address.ts'
import { TextField } from './fields.tsx'

const lines = ['line1', 'line2', 'postalCode', 'city', 'region', 'country'] as const

type AddressFieldsProps = { value: TypedAddress; set: (value: TypedAddress) => void }

export function AddressFields({ value, set }: AddressFieldsProps) {
  return (
    <fieldset class="field-group">
      <legend>{words.forms.address.title}</legend>
      <div class="field-row">
        {lines.map((line) => (
          <TextField
            key={line}
            name={`address.${line}`}
            label={words.forms.address[line]}
            hint={line === 'country' ? words.forms.address.countryHint : undefined}
            value={value[line]}
            set={(text) => set({ ...value, [line]: text })}
          />
        ))}
      </div>
    </fieldset>
  )
}
