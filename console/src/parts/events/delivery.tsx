// A delivery of an event to an endpoint: its state in a word, and its line below the event.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { LinkTo } from '../link-to.tsx'
import { Status, type Tone } from '../status.tsx'
import { When } from '../when.tsx'
import { answerOf } from './attempt.ts'

export type Delivery = BackOfficeSchemas['WebhookDelivery']

const text = words.timeLine
const tones: Record<string, Tone> = { pending: 'wait', delivered: 'ok', failed: 'warn', held: 'wait', skipped: 'off' }

export function DeliveryStatus({ delivery: { status, attempts } }: { delivery: Delivery }) {
  const isFailing = status === 'pending' && attempts.length > 0
  return <Status tone={isFailing ? 'warn' : (tones[status] ?? 'open')} word={isFailing ? text.failing : status} />
}

/** What the last attempt was answered, or why there is none. */
export function lastAnswer({ attempts, status, nextAttemptAt }: Delivery): string {
  if (attempts[0] !== undefined) return answerOf(attempts[0])
  // An earlier event of the object comes first.
  return status === 'pending' && nextAttemptAt === null ? text.waits : ''
}

export function DeliveryLine({ delivery, url, shop }: { delivery: Delivery; url: string; shop: Shop }) {
  const { attempts, nextAttemptAt } = delivery
  return (
    <div class="delivery">
      <p>
        <DeliveryStatus delivery={delivery} />{' '}
        <LinkTo name="deliveries" shop={shop} id={delivery.id}>
          <span class="url">{url}</span>
        </LinkTo>{' '}
        <span class="soft">{lastAnswer(delivery)}</span>
      </p>
      {(attempts.length > 0 || nextAttemptAt !== null) && (
        <details>
          <summary>{words.deliveries.attempts}</summary>
          <ol>
            {attempts.map((attempt) => (
              <li key={attempt.number}>
                {text.attempt(attempt.number)} · <When at={attempt.at} zone={shop.timeZone} /> · {answerOf(attempt)}
                {attempt.excerpt !== '' && <pre tabIndex={0}>{attempt.excerpt}</pre>}
              </li>
            ))}
            {nextAttemptAt !== null && (
              <li>
                {text.next} <When at={nextAttemptAt} zone={shop.timeZone} />
              </li>
            )}
          </ol>
        </details>
      )}
    </div>
  )
}
