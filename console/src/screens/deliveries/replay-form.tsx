// The form of a replay. It begins with the times and the kind that the list is filtered by.
import { useState } from 'preact/hooks'
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { eventFamilies, eventKinds } from '../../parts/events/event-kinds.ts'
import { Field, Form } from '../../parts/form.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { SeeHow } from '../../parts/see-how.tsx'
import { Problem } from '../../parts/state.tsx'
import { instantOfLocal, localOfInstant } from '../../parts/time.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Endpoint, Preview, Replay } from './endpoint.ts'

type ReplayFormProps = {
  shop: Shop
  endpoint: Endpoint
  /** Of the list. */
  query: Record<string, string>
  after: () => Promise<void>
}
type Body = NonNullable<Parameters<BackOffice['replays']['create']>[2]>

const text = words.replays
const DAY_MS = 86_400_000
const whichOnes = ['failed', 'missed', 'held', 'all'] as const

export function ReplayForm({ shop, endpoint, query, after }: ReplayFormProps) {
  const { handle, timeZone: zone } = shop
  const local = (instant: string | undefined) => (instant === undefined ? '' : localOfInstant(new Date(instant), zone))
  const yesterday = new Date(Date.now() - DAY_MS).toISOString()
  const [from, setFrom] = useState(local(query.created_after ?? yesterday))
  const [to, setTo] = useState(local(query.created_before))
  const [which, setWhich] = useState<(typeof whichOnes)[number]>('failed')
  const [kind, setKind] = useState('')
  const [asked, setAsked] = useState<Replay | null>(null)
  const until = instantOfLocal(to, zone)
  const body = {
    from: (instantOfLocal(from, zone) ?? new Date()).toISOString(),
    ...(until === null ? {} : { to: until.toISOString() }),
    which,
    ...(kind === '' ? {} : { events: [kind] }),
  }
  const path = `/shops/${handle}/webhook-endpoints/${endpoint.id}/replay`
  const { events, ...options } = body
  const ways = [
    asCurl(location.origin, { method: 'POST', path, body }),
    asCommand(`webhooks replay ${endpoint.id}`, handle, {
      ...options,
      ...(events === undefined ? {} : { events: kind }),
    }),
  ]
  // The API checks the kinds.
  const preview = useLoad<Preview>(
    instantOfLocal(from, zone) === null ? null : `replay ${path} ${JSON.stringify(body)}`,
    (signal) => api.replays.preview(handle, endpoint.id, body as Body, { signal }),
  )
  const send = async () => {
    setAsked(null)
    const options = { idempotencyKey: crypto.randomUUID() }
    setAsked(await api.replays.create(handle, endpoint.id, body as Body, options))
    await after()
  }
  return (
    <Form
      submit={preview.data === null ? text.submit : text.submitFor(preview.data.events)}
      send={send}
      isReady={preview.data === null || preview.data.events > 0}
    >
      <Field label={text.from(zone)}>
        <input
          type="datetime-local"
          required
          value={from}
          onInput={({ currentTarget }) => setFrom(currentTarget.value)}
        />
      </Field>
      <Field label={text.to(zone)} hint={text.toHint}>
        <input type="datetime-local" value={to} onInput={({ currentTarget }) => setTo(currentTarget.value)} />
      </Field>
      <Field label={text.whichLabel}>
        <select
          value={which}
          onChange={({ currentTarget }) => setWhich(whichOnes.find((one) => one === currentTarget.value) ?? 'failed')}
        >
          {whichOnes.map((one) => (
            <option key={one} value={one}>
              {text.which[one]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={text.kind}>
        <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
          <option value="">{text.anyKind}</option>
          {[...eventFamilies, ...eventKinds].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Field>
      <p class="hint">{text.about}</p>
      <p role="status">
        {preview.data !== null && text.covers(preview.data.events, preview.data.delivered)}
        {asked !== null && ` ${text.asksFor(asked.count)}`}
      </p>
      {preview.error !== null && asked === null && <Problem error={preview.error} />}
      <SeeHow ways={ways} />
    </Form>
  )
}
