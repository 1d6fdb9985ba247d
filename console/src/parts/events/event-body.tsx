// The body of an event: laid out to be read, and as the bytes that every endpoint gets.
import { useState } from 'preact/hooks'
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { words } from '../../words/en.ts'
import { Copy } from '../copy.tsx'
import { JsonView } from '../json-view.tsx'

type Event = BackOfficeSchemas['Event']
const text = words.eventBody

export function EventBody({ event }: { event: Event }) {
  const [isAsSent, setAsSent] = useState(false)
  // A role that sees no personal data reads another text than the one that was sent.
  if ('redacted' in event || 'redacted' in event.data) return <JsonView value={event} />
  const sent = JSON.stringify(event)
  return (
    <>
      <p class="buttons">
        <button type="button" aria-pressed={isAsSent} onClick={() => setAsSent(!isAsSent)}>
          {text.asSent(new TextEncoder().encode(sent).length)}
        </button>
      </p>
      {isAsSent ? (
        <div class="json">
          <Copy text={sent} />
          <pre tabIndex={0}>{sent}</pre>
        </div>
      ) : (
        <JsonView value={event} />
      )}
    </>
  )
}
