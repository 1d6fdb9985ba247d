// The kinds of fields of a form, each with its label, its hint and its refusal.
import { Field } from '../form.tsx'

type Common = {
  label: string
  hint?: string
  /** What the API calls it in a refusal. */
  name?: string
}
type Typed = Common & { value: string; set: (value: string) => void; isRequired?: boolean }
type TextFieldProps = Typed & {
  type?: 'text' | 'email' | 'tel' | 'url' | 'datetime-local'
  mode?: 'decimal' | 'numeric'
  /** Texts to choose from, or to type another. */
  known?: readonly { value: string; words: string }[]
}

export function TextField({ value, set, isRequired, type = 'text', mode, known, ...field }: TextFieldProps) {
  const list = known === undefined ? undefined : `known-${field.name ?? ''}`
  return (
    <>
      <Field {...field}>
        <input
          type={type}
          required={isRequired}
          inputMode={mode}
          autocomplete="off"
          list={list}
          value={value}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      </Field>
      {known !== undefined && (
        <datalist id={list}>
          {known.map((one) => (
            <option key={one.value} value={one.value}>
              {one.words}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}

/** Text of several lines. */
export function LinesField({ value, set, isRequired, rows = 3, ...field }: Typed & { rows?: number }) {
  return (
    <Field {...field}>
      <textarea
        rows={rows}
        required={isRequired}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </Field>
  )
}

type ChoiceFieldProps<Value extends string> = Common & {
  value: Value
  set: (value: Value) => void
  /** Each with its words. */
  options: readonly (readonly [Value, string])[]
}

/** One of a few values. */
export function ChoiceField<Value extends string>({ value, set, options, ...field }: ChoiceFieldProps<Value>) {
  return (
    <Field {...field}>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options.find(([one]) => one === currentTarget.value)
          if (chosen !== undefined) set(chosen[0])
        }}
      >
        {options.map(([one, said]) => (
          <option key={one} value={one}>
            {said}
          </option>
        ))}
      </select>
    </Field>
  )
}

type CheckFieldProps = { label: string; hint?: string; isOn: boolean; set: (isOn: boolean) => void }

/** Yes or no. */
export function CheckField({ label, hint, isOn, set }: CheckFieldProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => set(currentTarget.checked)} /> {label}
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  )
}
