// Sends a test event, and shows what was asked and what the receiver answered.
import { useState } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { adviceFor, answerOf, type Attempt, hasSucceeded } from '../../parts/events/attempt.ts'
import { SentRequest } from '../../parts/events/sent-request.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { type EventKind, eventKinds } from '../../parts/events/event-kinds.ts'
import { SeeHow } from '../../parts/see-how.tsx'
import { Status } from '../../parts/status.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Endpoint } from './endpoint.ts'

type SendTestProps = {
  shop: Shop
  endpoint: Endpoint
  /** After an answer: a test that succeeds ends a failing state. */
  sent: () => void
}

const text = words.webhooks

export function SendTest({ shop, endpoint, sent }: SendTestProps) {
  const [kind, setKind] = useState<EventKind>('order.paid')
  const [result, setResult] = useState<{ url: string; attempt: Attempt } | null>(null)
  const send = async () => {
    setResult(null)
    const attempt = await api.endpoints.test(
      shop.handle,
      endpoint.id,
      { event: kind },
      { idempotencyKey: crypto.randomUUID() },
    )
    setResult({ url: endpoint.url, attempt })
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

function Exchange({ url, attempt }: { url: string; attempt: Attempt }) {
  return (
    <>
      <div role="status">
        <p>
          <Status tone={hasSucceeded(attempt) ? 'ok' : 'warn'} word={answerOf(attempt)} />
        </p>
        <p>{adviceFor(attempt)}</p>
      </div>
      <div class="side-by-side">
        <section aria-label={words.attempts.request}>
          <h3>{words.attempts.request}</h3>
          <SentRequest request={attempt.request} to={url} />
        </section>
        <section aria-label={words.attempts.answer}>
          <h3>{words.attempts.answer}</h3>
          <pre tabIndex={0}>{attempt.excerpt === '' ? words.attempts.noBody : attempt.excerpt}</pre>
        </section>
      </div>
    </>
  )
}
