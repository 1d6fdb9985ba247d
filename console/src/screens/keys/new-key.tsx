// Creates a key. What was created is shown once, with what to paste; closing it takes the secret out of the page.
import { useState } from 'preact/hooks'
import { pageFacts } from '../../frame/page-facts.ts'
import { api } from '../../frame/session.ts'
import { Checks, Field, Form } from '../../parts/form.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { ShownOnce } from '../../parts/secret/shown-once.tsx'
import { Texts } from '../../parts/secret/texts.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { FirstCall } from './first-call.tsx'
import { firstSteps } from './first-steps.ts'
import { type NewKey as Created, sourcesOf } from './key.ts'

type NewKeyProps = {
  shop: Shop
  place: Place
  /** The list must be read again. */
  created: () => void
}

const text = words.apiKeys
const resourceNames = ['orders', 'products', 'contacts', 'shop'] as const
const lifetimes = ['0', '7', '30', '90', '365'] as const
const DAY_MS = 86_400_000

export function NewKey({ shop, place, created }: NewKeyProps) {
  const [made, setMade] = useState<Created | null>(null)
  const [name, setName] = useState('')
  const [access, setAccess] = useState<'read' | 'write'>('read')
  const [resources, setResources] = useState<readonly string[]>([])
  const [sources, setSources] = useState('')
  const [days, setDays] = useState<string>('0')
  const send = async () => {
    const key = await api.keys.create(
      shop.handle,
      {
        name,
        access,
        resources: resources.length === 0 ? null : resourceNames.filter((one) => resources.includes(one)),
        allowedSources: sourcesOf(sources),
        expiresAt: days === '0' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      },
      { idempotencyKey: crypto.randomUUID() },
    )
    setMade(key)
    created()
  }
  if (made !== null) return <KeyOnce shop={shop} made={made} place={place} />
  return (
    <>
      <ObjectHead name={text.create} place={place} />
      <Form submit={text.submit} send={send} cancel={place.close}>
        <Field name="name" label={text.fields.name} hint={text.fields.nameHint}>
          <input required maxLength={100} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label={text.fields.access}>
          <select
            value={access}
            onChange={({ currentTarget }) => setAccess(currentTarget.value === 'write' ? 'write' : 'read')}
          >
            <option value="read">{text.access.read}</option>
            <option value="write">{text.access.write}</option>
          </select>
        </Field>
        <Checks
          label={text.fields.resources}
          hint={text.fields.resourcesHint}
          values={resourceNames}
          chosen={resources}
          choose={setResources}
        />
        <Field name="expiresAt" label={text.fields.expires}>
          <select value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
            {lifetimes.map((one) => (
              <option key={one} value={one}>
                {text.lifetime(Number(one))}
              </option>
            ))}
          </select>
        </Field>
        <Field name="allowedSources" label={text.fields.sources} hint={text.fields.sourcesHint}>
          <input value={sources} spellcheck={false} onInput={({ currentTarget }) => setSources(currentTarget.value)} />
        </Field>
      </Form>
    </>
  )
}

type KeyOnceProps = { shop: Shop; made: Created; place: Place }

export function KeyOnce({ shop, made, place }: KeyOnceProps) {
  return (
    <>
      <ObjectHead name={text.created(made.name)} place={place} />
      <ShownOnce secret={made.secret} label={text.secret} />
      <section class="facts" aria-label={text.stepsTitle}>
        <h3>{text.stepsTitle}</h3>
        <Texts texts={firstSteps(pageFacts.publicUrl, made)} label={text.stepsTitle} />
        <FirstCall shop={shop} keyId={made.id} />
      </section>
      <div class="buttons">
        <button type="button" class="primary" onClick={place.close}>
          {words.secret.stored}
        </button>
      </div>
    </>
  )
}
