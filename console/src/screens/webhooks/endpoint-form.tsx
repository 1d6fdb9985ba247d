// The fields of an endpoint, to create one or to change it.
import { useState } from 'preact/hooks'
import type { EventName } from '../../parts/events/event-kinds.ts'
import { Field, Form } from '../../parts/form.tsx'
import { words } from '../../words/en.ts'
import { EventChoice } from './event-choice.tsx'

export type EndpointFacts = { url: string; events: EventName[]; description: string | null }
type EndpointFormProps = {
  submit: string
  first: EndpointFacts
  /** Throws the refusal. */
  send(facts: EndpointFacts): Promise<void>
  cancel: () => void
}

const text = words.webhooks

export function EndpointForm({ submit, first, send, cancel }: EndpointFormProps) {
  const [url, setUrl] = useState(first.url)
  const [events, setEvents] = useState<readonly EventName[]>(first.events.filter((name) => name !== '*'))
  const [description, setDescription] = useState(first.description ?? '')
  const facts = () => ({
    url: url.trim(),
    events: [...events], // None: all, which the API writes as `*`.
    description: description.trim() === '' ? null : description.trim(),
  })
  return (
    <Form submit={submit} send={() => send(facts())} cancel={cancel}>
      <Field name="url" label={text.fields.url} hint={text.fields.urlHint}>
        <input
          type="url"
          required
          spellcheck={false}
          value={url}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </Field>
      <Field name="description" label={text.fields.description}>
        <input value={description} onInput={({ currentTarget }) => setDescription(currentTarget.value)} />
      </Field>
      <EventChoice chosen={events} choose={setEvents} />
    </Form>
  )
}
