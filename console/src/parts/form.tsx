// A form that sends one call: its fields, its button with progress, and the refusal at the field that the API names, else below them.
import { cloneElement, type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext, useEffect, useId, useMemo, useState } from 'preact/hooks'
import { type Problem as Facts, problemOf } from '../frame/errors.ts'
import { words } from '../words/en.ts'
import { Problem, RequestId } from './state.tsx'

type FormProps = {
  submit: string
  /** Throws the refusal. */
  send(): Promise<void>
  cancel?: () => void
  /** What the second button says, where it is more than closing the form. */
  cancelWords?: string
  /** The button warns, as for money that is given back. */
  isDangerous?: boolean
  /** False while there is nothing to send. */
  isReady?: boolean
  children?: ComponentChildren
}
/** `names`: those of the fields that are shown. `refusal`: where it is about the field `at`. */
type FormState = { names: Set<string>; at: string | null; refusal: Facts | null }

const OfForm = createContext<FormState>({ names: new Set(), at: null, refusal: null })

export function Form({
  submit,
  send,
  cancel,
  cancelWords = words.cancel,
  isDangerous = false,
  isReady = true,
  children,
}: FormProps) {
  const [error, setError] = useState<{ is: unknown } | null>(null)
  const [isSending, setSending] = useState(false)
  const names = useMemo(() => new Set<string>(), [])
  const refusal = error === null ? null : problemOf(error.is)
  const at = fieldOf(refusal?.param ?? null, names)
  const onSubmit = async () => {
    setSending(true)
    setError(null)
    try {
      await send()
    } catch (is) {
      setError({ is })
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
      <OfForm.Provider value={{ names, at, refusal }}>{children}</OfForm.Provider>
      {error !== null && at === null && <Problem error={error.is} />}
      <div class="buttons">
        <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-busy={isSending} disabled={!isReady}>
          {submit}
        </button>
        {cancel !== undefined && (
          <button type="button" onClick={cancel}>
            {cancelWords}
          </button>
        )}
      </div>
    </form>
  )
}

type FieldProps = {
  label: string
  hint?: string
  /** What the API calls it in a refusal: `title`, `variants[0].price`. */
  name?: string
  children: VNode<{ id?: string; 'aria-invalid'?: boolean; 'aria-describedby'?: string }>
}

/** A labelled input, which is the only child. The refusal that names it stands below it, and it gets the focus. */
export function Field({ label, hint, name, children }: FieldProps) {
  const id = useId()
  const { names, at, refusal } = useContext(OfForm)
  const isAtFault = name !== undefined && at === name
  useEffect(() => {
    if (name === undefined) return
    names.add(name)
    return () => void names.delete(name)
  }, [name, names])
  useEffect(() => {
    if (isAtFault) document.getElementById(id)?.focus()
  }, [isAtFault, id])
  const by = [hint === undefined ? '' : `${id}-hint`, isAtFault ? `${id}-problem` : ''].filter((one) => one !== '')
  const described = by.length === 0 ? {} : { 'aria-describedby': by.join(' ') }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, { id, ...described, ...(isAtFault ? { 'aria-invalid': true } : {}) })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isAtFault && (
        <div class="field-problem" id={`${id}-problem`} role="alert">
          <p>{refusal?.why}</p>
          <RequestId id={refusal?.requestId ?? null} />
        </div>
      )}
    </div>
  )
}

/** The field that a refusal is about: `price` also for `price.cents`, and the longest of those that fit. */
export function fieldOf(param: string | null, names: ReadonlySet<string>): string | null {
  if (param === null) return null
  const fits = (name: string) => param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`)
  return [...names].filter(fits).toSorted((one, other) => other.length - one.length)[0] ?? null
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
