// The request of an attempt, as it was sent: its headers, and the body where the attempt keeps it.
import { words } from '../../words/en.ts'
import { Copy } from '../copy.tsx'
import type { Attempt } from './attempt.ts'

const text = words.attempts

/** `to`: the address that it went to. */
export function SentRequest({ request, to = null }: { request: Attempt['request']; to?: string | null }) {
  if (request === null) return <p class="soft">{text.notSent}</p>
  const { headers, body } = request
  return (
    <>
      <pre tabIndex={0}>{[...(to === null ? [] : [`POST ${to}`]), headerLines(headers)].join('\n')}</pre>
      {body !== null && (
        <>
          <div class="json">
            <Copy text={body} />
            <pre tabIndex={0}>{laidOut(body)}</pre>
          </div>
          <p class="hint">{text.laidOut}</p>
        </>
      )}
    </>
  )
}

export function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

// The product made it, so that it is JSON.
function laidOut(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2)
}
