// A form that sends one call: its fields, its button with progress, and the refusal beside what was typed.
import { cloneElement, type ComponentChildren, type VNode } from 'preact'
import { useId, useState } from 'preact/hooks'
import { words } from '../words/en.ts'
import { Problem } from './state.tsx'

type FormProps = {
  submit: string
  /** Throws the refusal. */
  send(): Promise<void>
  cancel?: () => void
  /** The button warns, as for money that is given back. */
  isDangerous?: boolean
  children?: ComponentChildren
}

export function Form({ submit, send, cancel, isDangerous = false, children }: FormProps) {
  const [error, setError] = useState<unknown>(null)
  const [isSending, setSending] = useState(false)
  const onSubmit = async () => {
    setSending(true)
    setError(null)
    try {
      await send()
    } catch (reason) {
      setError(reason)
    }
    setSending(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSending) void onSubmit()
      }}
    >
      {children}
      {error !== null && <Problem error={error} />}
      <div class="buttons">
        <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-busy={isSending}>
          {submit}
        </button>
        {cancel !== undefined && (
          <button type="button" onClick={cancel}>
            {words.cancel}
          </button>
        )}
      </div>
    </form>
  )
}

/** A labelled input, which is the only child. */
export function Field({ label, hint, children }: { label: string; hint?: string; children: VNode<{ id?: string }> }) {
  const id = useId()
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, { id, ...described })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

type ChecksProps = {
  label: string
  hint?: string
  values: readonly string[]
  chosen: readonly string[]
  choose: (values: readonly string[]) => void
}

/** Several values to choose from. */
export function Checks({ label, hint, values, chosen, choose }: ChecksProps) {
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class="checks">
        {values.map((one) => (
          <label key={one}>
            <input
              type="checkbox"
              checked={chosen.includes(one)}
              onChange={() => choose(values.filter((known) => (known === one) !== chosen.includes(known)))}
            />{' '}
            {one}
          </label>
        ))}
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </fieldset>
  )
}
