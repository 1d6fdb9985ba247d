// The fields of a contact, to create one or to change it.
import { useState } from 'preact/hooks'
import { AddressFields } from '../../parts/fields/address-fields.tsx'
import { CheckField, LinesField, TextField } from '../../parts/fields/fields.tsx'
import { Form } from '../../parts/form.tsx'
import { words } from '../../words/en.ts'
import type { TypedContact } from './contact-input.ts'

type ContactFormProps = {
  first: TypedContact
  submit: string
  /** Of a contact that exists. */
  isChange: boolean
  mayRename?: boolean
  /** Throws the refusal. */
  send: (typed: TypedContact) => Promise<void>
  cancel: () => void
}

const text = words.forms.contact

export function ContactForm({ first, submit, isChange, mayRename = true, send, cancel }: ContactFormProps) {
  const [typed, setTyped] = useState(first)
  const put = (part: Partial<TypedContact>) => setTyped((before) => ({ ...before, ...part }))
  const hasNewEmail = isChange && typed.email !== first.email && first.hasConsented
  return (
    <Form submit={submit} send={() => send(typed)} cancel={cancel}>
      <p class="hint">{isChange ? text.changeAbout : text.newAbout}</p>
      {mayRename && <TextField name="name" label={text.name} value={typed.name} set={(name) => put({ name })} />}
      <div class="field-row">
        <TextField
          name="email"
          label={text.email}
          hint={hasNewEmail ? text.emailConsent : undefined}
          value={typed.email}
          set={(email) => put({ email })}
        />
        <TextField
          name="phone"
          label={text.phone}
          hint={text.phoneHint}
          type="tel"
          value={typed.phone}
          set={(phone) => put({ phone })}
        />
      </div>
      <LinesField
        name="tags"
        label={isChange ? text.addTags : text.tags}
        hint={words.forms.oneALine}
        value={typed.tags}
        set={(tags) => put({ tags })}
      />
      <AddressFields value={typed.address} set={(address) => put({ address })} />
      <CheckField
        label={text.consent}
        hint={text.consentHint}
        isOn={typed.hasConsented}
        set={(hasConsented) => put({ hasConsented })}
      />
      {typed.hasConsented && (
        <TextField
          name="marketingConsentAt"
          label={text.consentAt}
          type="datetime-local"
          isRequired
          value={typed.consentAt}
          set={(consentAt) => put({ consentAt })}
        />
      )}
      <LinesField
        name="privateNote"
        label={text.note}
        hint={isChange ? text.noteChangeHint : text.noteHint}
        value={typed.privateNote}
        set={(privateNote) => put({ privateNote })}
      />
    </Form>
  )
}
