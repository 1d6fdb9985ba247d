// Where a delivery stands, in sentences: why the last attempt failed and what to do about it, and when the next one is.
import { adviceFor, answerOf, hasSucceeded } from '../../parts/events/attempt.ts'
import type { Delivery } from '../../parts/events/delivery.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { REPLAY } from './endpoint.ts'

const { standing: text, ...labels } = words.deliveries

export function Standing({ shop, delivery }: { shop: Shop; delivery: Delivery }) {
  const [last] = delivery.attempts
  const hasFailed = delivery.status !== 'delivered' && last !== undefined && !hasSucceeded(last)
  return (
    <section class={hasFailed ? 'standing warn' : 'standing'} aria-label={text.title}>
      {hasFailed && (
        <p>
          <strong>{text.why(last.number, answerOf(last))}</strong> {adviceFor(last)}
        </p>
      )}
      <p>
        <Next shop={shop} delivery={delivery} />
      </p>
    </section>
  )
}

function Next({ shop, delivery }: { shop: Shop; delivery: Delivery }) {
  const { status, attempts, nextAttemptAt, endpointId } = delivery
  if (status === 'delivered' || status === 'skipped') return <>{text[status]}</>
  if (status === 'failed') {
    return (
      <>
        {text.failed}{' '}
        <LinkTo name="deliveries" shop={shop} id={REPLAY} search={`?endpoint=${endpointId}`}>
          {words.replays.button}
        </LinkTo>
      </>
    )
  }
  if (status === 'held') {
    return (
      <>
        {text.held}{' '}
        <LinkTo name="webhooks" shop={shop} id={endpointId}>
          {labels.toEndpoint}
        </LinkTo>
      </>
    )
  }
  if (nextAttemptAt !== null) {
    return (
      <>
        {attempts.length === 0 ? text.first : text.again} <When at={nextAttemptAt} zone={shop.timeZone} />
      </>
    )
  }
  return (
    <>
      {text.waits}{' '}
      <LinkTo name="deliveries" shop={shop} search={`?endpoint=${endpointId}&object_id=${objectIdOf(delivery)}`}>
        {labels.earlier}
      </LinkTo>
    </>
  )
}

/** `link` is the path of the object in the back office. */
export function objectIdOf({ link }: Pick<Delivery, 'link'>): string {
  return link.split('/').at(-1) ?? ''
}
