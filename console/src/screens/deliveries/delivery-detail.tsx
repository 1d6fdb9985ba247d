// One delivery: where it stands, its attempts on a time line with the next one, the request that is sent, and what has changed since.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { useKeys } from '../../frame/keys.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { type Attempt, answerOf, hasSucceeded } from '../../parts/events/attempt.ts'
import { type Delivery, DeliveryStatus, lastAnswer } from '../../parts/events/delivery.tsx'
import { screenOfKind } from '../../parts/events/event-kinds.ts'
import { SentRequest } from '../../parts/events/sent-request.tsx'
import { Fold } from '../../parts/fold.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Problem, Shown } from '../../parts/state.tsx'
import { type Moment, TimeLine } from '../../parts/time-line.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Endpoint } from './endpoint.ts'
import { type Retried, retry } from './retry.ts'
import { SentBody } from './sent-body.tsx'
import { objectIdOf, Standing } from './standing.tsx'

type DeliveryDetailProps = {
  shop: Shop
  id: string
  endpoints: readonly Endpoint[]
  mayAct: boolean
  place: Place
  changed: (delivery: Delivery) => void
}
const text = words.deliveries
const AGAIN_MS = 2_000
const AGAIN_MAX_MS = 60_000

export function DeliveryDetail({ shop, id, endpoints, mayAct, place, changed }: DeliveryDetailProps) {
  const { handle, timeZone: zone } = shop
  const delivery = useLoad(`delivery ${handle} ${id}`, (signal) => api.deliveries.get(handle, id, { signal }))
  const { data, reload } = delivery
  useEffect(() => (data === null ? undefined : changed(data)), [data])
  useEffect(() => {
    if (data?.status !== 'pending') return undefined
    // Looks again when the next attempt has been made.
    const due = data.nextAttemptAt === null ? 0 : Date.parse(data.nextAttemptAt) - Date.now()
    const timer = setTimeout(() => void reload(), Math.min(Math.max(due + AGAIN_MS, AGAIN_MS), AGAIN_MAX_MS))
    return () => clearTimeout(timer)
  }, [data, reload])
  const path = `/shops/${handle}/deliveries/${id}`
  const ways = [
    asCurl(location.origin, { method: 'POST', path: `${path}/retry`, body: {} }),
    asCommand(`deliveries retry ${id}`, handle),
  ]
  return (
    <>
      {place.isAlone && data === null && <h1>{text.one}</h1>}
      <Shown of={delivery} rows={10}>
        {(shown) => (
          <>
            <ObjectHead name={shown.event} id={shown.id} place={place} ways={ways}>
              <DeliveryStatus delivery={shown} />
              <span class="soft">{lastAnswer(shown)}</span>
            </ObjectHead>
            <p class="object-state">
              <EndpointLink shop={shop} of={endpoints.find((endpoint) => endpoint.id === shown.endpointId)} />
              <LinkTo name="events" shop={shop} id={shown.eventId}>
                {words.timeLine.sequence(shown.sequence)}
              </LinkTo>
              <LinkTo name={screenOfKind(shown.event)} shop={shop} id={objectIdOf(shown)}>
                {text.objectOf[screenOfKind(shown.event)]}
              </LinkTo>
            </p>
            <Standing shop={shop} delivery={shown} />
            <Retry shop={handle} id={id} isDone={shown.status === 'delivered'} mayAct={mayAct} after={reload} />
            <section class="happened">
              <h3>{text.attempts}</h3>
              <TimeLine moments={momentsOf(shown)} zone={zone} label={text.attempts} />
            </section>
            <SentBody shop={shop} delivery={shown} />
          </>
        )}
      </Shown>
    </>
  )
}

function EndpointLink({ shop, of: endpoint }: { shop: Shop; of: Endpoint | undefined }) {
  if (endpoint === undefined) return <span class="soft">{text.deletedEndpoint}</span>
  return (
    <LinkTo name="webhooks" shop={shop} id={endpoint.id}>
      <span class="url">{endpoint.url}</span>
    </LinkTo>
  )
}

type RetryProps = { shop: string; id: string; isDone: boolean; mayAct: boolean; after: () => Promise<void> }
type RetryState = { isSending: boolean; result: Retried | null; error: unknown }

function Retry({ shop, id, isDone, mayAct, after }: RetryProps) {
  const [state, setState] = useState<RetryState>({ isSending: false, result: null, error: null })
  const run = useCallback(async () => {
    setState({ isSending: true, result: null, error: null })
    try {
      const result = await retry(shop, id)
      setState({ isSending: false, result, error: null })
    } catch (error) {
      setState({ isSending: false, result: null, error })
    }
    await after()
  }, [shop, id, after])
  useKeys(mayAct ? { r: { words: text.retryKey, act: () => void (state.isSending || run()) } } : {})
  return (
    <div class="moves">
      <div class="buttons">
        <button
          type="button"
          class={isDone ? '' : 'primary'}
          aria-busy={state.isSending}
          disabled={!mayAct}
          onClick={() => void run()}
        >
          {text.retryNow} {mayAct && <kbd>r</kbd>}
        </button>
        {!mayAct && <span class="soft">{words.moveReasons.role}</span>}
      </div>
      <p class={state.result?.isAccepted === false ? 'result warn' : 'result'} role="status">
        {state.result !== null && text.retried(state.result.isAccepted, state.result.answer)}
      </p>
      {state.error !== null && <Problem error={state.error} />}
    </div>
  )
}

const reasons: Record<string, string> = text.reasons

function Exchange({ attempt: { excerpt, request } }: { attempt: Attempt }) {
  return (
    <>
      {excerpt !== '' && <pre tabIndex={0}>{excerpt}</pre>}
      {request !== null && <Fold summary={text.requestHeaders}>{() => <SentRequest request={request} />}</Fold>}
    </>
  )
}

function momentsOf(delivery: Delivery): Moment[] {
  const { attempts, attemptCount, nextAttemptAt, happenedAt } = delivery
  const planned: Moment[] =
    nextAttemptAt === null ? [] : [{ key: 'next', at: nextAttemptAt, tone: 'wait', title: words.timeLine.next }]
  const made = attempts.map((attempt): Moment => {
    const { number, at, reason } = attempt
    return {
      key: String(number),
      at,
      tone: hasSucceeded(attempt) ? 'ok' : 'warn',
      title: (
        <>
          <strong>{words.timeLine.attempt(number)}</strong>{' '}
          <span class="soft">
            {reasons[reason] ?? reason} · {answerOf(attempt)}
          </span>
        </>
      ),
      more: <Exchange attempt={attempt} />,
    }
  })
  const older = attemptCount - attempts.length
  const happened: Moment = {
    key: 'event',
    at: happenedAt,
    tone: 'open',
    title: older > 0 ? text.older(older) : text.happened,
  }
  return [...planned, ...made, happened]
}
