// The fields of an operator, to create one or to change it.
import { useState } from 'preact/hooks'
import { ChoiceField, TextField } from '../../parts/fields/fields.tsx'
import { Form } from '../../parts/form.tsx'
import { words } from '../../words/en.ts'
import { type Role, roles } from './operator.ts'
import { ShopsField } from './shops-field.tsx'

/** `shops` are ids; null for an owner. */
export type OperatorFacts = { name: string; email: string; role: Role; shops: string[] | null }
type OperatorFormProps = {
  first: OperatorFacts
  submit: string
  /** Throws the refusal. */
  send: (facts: OperatorFacts) => Promise<void>
  cancel: () => void
}

const text = words.operators

export function OperatorForm({ first, submit, send, cancel }: OperatorFormProps) {
  const [typed, setTyped] = useState(first)
  const put = (part: Partial<OperatorFacts>) => setTyped((before) => ({ ...before, ...part }))
  const isOwner = typed.role === 'owner'
  return (
    <Form submit={submit} send={() => send({ ...typed, shops: isOwner ? null : (typed.shops ?? []) })} cancel={cancel}>
      <TextField name="name" label={text.columns.name} isRequired value={typed.name} set={(name) => put({ name })} />
      <TextField
        name="email"
        label={text.columns.email}
        type="email"
        isRequired
        value={typed.email}
        set={(email) => put({ email })}
      />
      <ChoiceField
        name="role"
        label={text.columns.role}
        hint={text.may[typed.role]}
        value={typed.role}
        set={(role) => put({ role })}
        options={roles.map((role) => [role, words.roles[role]])}
      />
      {!isOwner && <ShopsField chosen={typed.shops ?? []} choose={(shops) => put({ shops })} />}
    </Form>
  )
}
