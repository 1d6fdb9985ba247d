// Sends a read of the back office with the session of the operator, and shows the answer. The fields of its parameters are inside.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { fetchOffice } from '../../../frame/session.ts'
import { Id } from '../../../parts/copy.tsx'
import { Form } from '../../../parts/form.tsx'
import { JsonView } from '../../../parts/json-view.tsx'
import { Status } from '../../../parts/status.tsx'
import { words } from '../../../words/en.ts'

type Answer = { status: number; ms: number; requestId: string | null; body: unknown }
const text = words.reference.tryIt

/** `path` begins at the origin. */
export function RunHere({ path, children }: { path: string; children: ComponentChildren }) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const send = async () => {
    setAnswer(null)
    const began = performance.now()
    const response = await fetchOffice(path, { headers: { accept: 'application/json' } })
    const body: unknown = await response.json()
    const requestId = response.headers.get('x-request-id')
    setAnswer({ status: response.status, ms: performance.now() - began, requestId, body })
  }
  return (
    <>
      <Form submit={text.send} send={send}>
        {children}
        <p class="soft">{text.here}</p>
      </Form>
      {answer !== null && (
        <section class="try" role="status" aria-label={text.answer}>
          <p class="object-state">
            <Status tone={answer.status < 400 ? 'ok' : 'warn'} word={text.answered(answer.status, answer.ms)} />
            {answer.requestId !== null && <Id id={answer.requestId} />}
          </p>
          <JsonView value={answer.body} />
        </section>
      )}
    </>
  )
}
