// Loads what happened to an object: its moves, its events, and their deliveries at each endpoint. After a move it looks again until
// the event of the move has been sent.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { firstPage } from '../../frame/first-page.ts'
import { type Loaded, useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import type { Delivery } from '../events/delivery.tsx'

export type ShopEvent = BackOfficeSchemas['Event']
export type Endpoint = BackOfficeSchemas['WebhookEndpoint']
/** A part that was refused or failed leaves the others. */
export type Part<Data> = { data: Data; error: null } | { data: null; error: unknown }
/** `Move`: a row of the history of the object. */
export type Happened<Move extends { at: string }> = {
  moves: Part<Move[]>
  events: Part<ShopEvent[]>
  deliveries: Part<{ endpoints: Endpoint[]; deliveries: Delivery[] }>
}
type AnyHappened = Happened<{ at: string }>
/** The events of the last move, and how many endpoints they went to. */
export type Sent = { events: string[]; endpoints: number }
export type HappenedTo<Move extends { at: string }> = Loaded<Happened<Move>> & {
  /** Looks again after a move. */
  follow(): void
  isFollowing: boolean
  sent: Sent | null
}

const ROWS = 100
const FIRST_WAIT_MS = 300
const WAIT_MAX_MS = 2_000
const FOLLOW_MS = 30_000

type History<Move> = (
  shop: string,
  id: string,
  query: { limit: number },
  options: { signal: AbortSignal },
) => Parameters<typeof firstPage<Move>>[0]

/** `history` is the call that lists the moves. */
export function useHappened<Move extends { at: string }>(
  shop: string,
  id: string,
  history: History<Move>,
): HappenedTo<Move> {
  const loaded = useLoad<Happened<Move>>(`happened ${shop} ${id}`, (signal) => happenedTo(shop, id, history, signal))
  const [isFollowing, setFollowing] = useState(false)
  const latest = useRef(loaded)
  latest.current = loaded
  const timer = useRef(0)
  const round = useCallback(async (wait: number, until: number) => {
    await latest.current.reload()
    timer.current = window.setTimeout(() => {
      if (isSettled(latest.current.data) || Date.now() > until) setFollowing(false)
      else void round(Math.min(wait * 1.5, WAIT_MAX_MS), until)
    }, wait)
  }, [])
  const follow = useCallback(() => {
    clearTimeout(timer.current)
    setFollowing(true)
    void round(FIRST_WAIT_MS, Date.now() + FOLLOW_MS)
  }, [round])
  useEffect(() => () => clearTimeout(timer.current), [])
  return { ...loaded, follow, isFollowing, sent: sentOf(loaded.data) }
}

async function happenedTo<Move extends { at: string }>(
  shop: string,
  id: string,
  history: History<Move>,
  signal: AbortSignal,
): Promise<Happened<Move>> {
  const [moves, events, deliveries] = await Promise.all([
    partOf(rowsOf(history(shop, id, { limit: ROWS }, { signal }))),
    partOf(rowsOf(api.events.list(shop, { objectId: id, limit: ROWS }, { signal }))),
    partOf(deliveriesOf(shop, id, signal)),
  ])
  return { moves, events, deliveries }
}

async function deliveriesOf(shop: string, id: string, signal: AbortSignal) {
  const [endpoints, deliveries] = await Promise.all([
    rowsOf(api.endpoints.list(shop, {}, { signal })),
    rowsOf(api.deliveries.listAll(shop, { objectId: id, limit: ROWS }, { signal })),
  ])
  return { endpoints, deliveries }
}

// The newest page; an object with more than a hundred moves is one that a program drives.
async function rowsOf<Row>(list: Parameters<typeof firstPage<Row>>[0]): Promise<Row[]> {
  return (await firstPage(list)).data
}

async function partOf<Data>(loading: Promise<Data>): Promise<Part<Data>> {
  try {
    return { data: await loading, error: null }
  } catch (error) {
    return { data: null, error }
  }
}

// The event of a move bears its instant.
function lastEvents({ moves, events }: AnyHappened): ShopEvent[] {
  const at = moves.data?.[0]?.at
  return (events.data ?? []).filter(({ timestamp }) => timestamp === at)
}

function sentOf(happened: AnyHappened | null): Sent | null {
  if (happened === null) return null
  const events = lastEvents(happened)
  const ids = new Set(events.map(({ id }) => id))
  const sent = (happened.deliveries.data?.deliveries ?? []).filter(
    ({ eventId, attemptCount }) => ids.has(eventId) && attemptCount > 0,
  )
  if (events.length === 0) return null
  return { events: events.map(({ type }) => type), endpoints: new Set(sent.map(({ endpointId }) => endpointId)).size }
}

/** Whether the events of the last move are there and each of their deliveries has been tried. */
function isSettled(happened: AnyHappened | null): boolean {
  if (happened === null) return false
  const events = lastEvents(happened)
  const { endpoints = [], deliveries = [] } = happened.deliveries.data ?? {}
  const own = deliveries.filter(({ eventId }) => events.some(({ id }) => id === eventId))
  const isAwaited = endpoints.some(({ enabled }) => enabled)
  return (
    events.length > 0 &&
    own.every(({ attemptCount, status }) => attemptCount > 0 || status !== 'pending') &&
    (own.length > 0 || !isAwaited)
  )
}
