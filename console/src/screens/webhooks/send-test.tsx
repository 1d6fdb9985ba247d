// Sends a test event, and shows what was asked and what the receiver answered.
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { Field, Form } from '../../parts/form.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { type EventKind, eventKinds } from '../../parts/events/event-kinds.ts'
import { SeeHow } from '../../parts/see-how.tsx'
import { Status } from '../../parts/status.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Attempt, type Endpoint, hasSucceeded } from './endpoint.ts'

type SendTestProps = {
  shop: Shop
  endpoint: Endpoint
  /** After an answer: a test that succeeds ends a failing state. */
  sent: () => void
}

const text = words.webhooks

export function SendTest({ shop, endpoint, sent }: SendTestProps) {
  const [kind, setKind] = useState<EventKind>('order.paid')
  const [result, setResult] = useState<{ kind: EventKind; url: string; attempt: Attempt } | null>(null)
  const send = async () => {
    setResult(null)
    const attempt = await api.endpoints.test(
      shop.handle,
      endpoint.id,
      { event: kind },
      { idempotencyKey: crypto.randomUUID() },
    )
    setResult({ kind, url: endpoint.url, attempt })
    sent()
  }
  const path = `/shops/${shop.handle}/webhook-endpoints/${endpoint.id}/test`
  const ways = [
    asCurl(location.origin, { method: 'POST', path, body: { event: kind } }),
    asCommand(`webhooks test ${endpoint.id}`, shop.handle, { event: kind }),
  ]
  return (
    <section class="exchange" aria-label={text.test}>
      <Form submit={text.test} send={send}>
        <Field label={text.testEvent} hint={text.testHint}>
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as EventKind)}>
            {eventKinds.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Field>
      </Form>
      {result !== null && <Exchange {...result} />}
      <div class="buttons">
        <SeeHow ways={ways} />
      </div>
    </section>
  )
}

function Exchange({ kind, url, attempt }: { kind: EventKind; url: string; attempt: Attempt }) {
  const { status, error, durationMs, excerpt, number, reason } = attempt
  const request = [`POST ${url}`, `service-attempt: ${number}`, `service-reason: ${reason}`, '', text.testBody(kind)]
  return (
    <div class="exchange" role="status">
      <Status
        tone={hasSucceeded(attempt) ? 'ok' : 'warn'}
        word={text.answered(String(status ?? error ?? ''), Math.round(durationMs))}
      />
      <h3>{text.request}</h3>
      <pre tabIndex={0}>{request.join('\n')}</pre>
      <h3>{text.answer}</h3>
      <pre tabIndex={0}>{excerpt === '' ? text.noBody : excerpt}</pre>
    </div>
  )
}
