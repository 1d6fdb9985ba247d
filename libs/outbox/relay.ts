// Relay of an outbox: hands its messages over to their receivers. docs/spec/outboxes.md#relay
//
// Protocol. One relay of an outbox is active at a time (relay-lock.ts). A round reads the messages of each topic that are not sent,
// oldest first, hands them over and marks them sent on the answer, which means that the receiver has stored them. A relay that dies
// in between, or loses its lock with its connection, is followed by another one, which sends them again; receivers know messages by id.
// Another round follows at once where a batch was full, a failed message was accepted, or the relay was woken during the round. A relay
// that finds another one active looks again soon: what woke it may have been committed after the other one had read.
// Failures. A message that its receiver refuses is recorded (failures.ts) and tried again once a second. Until it is sent, later
// messages of its object wait; other objects go on. After 20 failures or 15 minutes it is parked: it waits for an operator.
// Outages. A receiver that does not answer, or cannot reach its database, delays all messages; none of them gets a failure recorded. A
// message that gets no answer while others are accepted counts as refused; every fifth round of an outage looks for such a message.
// While a receiver refuses every object, messages are parked by time only, so that a short fault of it needs no operator.
import type { Database, Sql } from '#postgres/connect'
import { isOutage } from '#calls/outage'
import { startWorker, type Worker } from '#runtime/worker-loop'
import { type DueFailure, listDueFailures, recordFailure, removeFailures, type Waiting } from './failures.ts'
import { underRelayLock } from './relay-lock.ts'

/** The next messages of a topic, oldest first. `isFull`: there may be more. */
export type Batch<Row> = { topic: string; rows: Row[]; isFull: boolean }

export type Outbox<Row extends Waiting> = {
  /** SQL: whether a failure is of this outbox, by its `topic`. */
  ofTopics: string
  /** Messages that are not sent, without those of objects that have a failed one. */
  listWaiting(session: Sql): Promise<Batch<Row>[]>
  /** The failed messages that are not sent. */
  listFailed(session: Sql, failures: DueFailure[]): Promise<Row[]>
  /** Resolves when the receivers of the topic have stored the messages. */
  handOver(topic: string, rows: Row[]): Promise<unknown>
  markSent(session: Sql, rows: Row[]): Promise<void>
  /** Whether waiting messages of the topic are handed over together. */
  isTogether(topic: string): boolean
}

export type RelayLog = {
  /** A message was refused. */
  failed(failure: { topic: string; row: Waiting; failures: number; isParked: boolean; error: unknown }): void
  /** A message that was refused before was accepted. */
  recovered(sent: { topic: string; row: Waiting; failures: number }): void
  /** A round ended without an answer. */
  stalled(error: unknown): void
  /** A round ended well. */
  flowing(): void
}
export type RelayOptions<Row extends Waiting> = {
  db: Database
  /** The name of the advisory lock. */
  lock: string
  outbox: Outbox<Row>
  log: RelayLog
  pollMs?: number
}

const POLL_MS = 1_000
const PROBE_EVERY = 5
const UNANSWERED_MAX = 3
const RETRIES_MAX = 50
const OBJECTS_AT_ONCE = 4
const BUSY_MS = 25

/** Starts the relay. `wake` after a commit sends the messages at once instead of at the next poll. */
export function startRelay<Row extends Waiting>(options: RelayOptions<Row>): Worker {
  const { db, lock, outbox, log, pollMs = POLL_MS } = options
  let stalls = 0
  const round = async () => {
    const isProbe = stalls % PROBE_EVERY === PROBE_EVERY - 1
    let isActive = false
    const isMore = await underRelayLock(db, lock, async (session) => {
      isActive = true
      const results = await relayAll(session, outbox, log, isProbe)
      const stalled = results.find(({ outage }) => outage !== null)
      if (stalled?.outage) throw stalled.outage.error
      return results.some((result) => result.isMore)
    })
    if (isActive) {
      stalls = 0
      log.flowing()
    }
    return isMore ?? BUSY_MS
  }
  const onError = (error: unknown) => {
    stalls += 1
    log.stalled(error)
  }
  return startWorker({ pollMs, round, onError })
}

type Failure = { error: unknown }
/** `isMore`: whether there may be more to send at once. `outage`: set where the receiver does not answer. */
type TopicResult = { isMore: boolean; outage: Failure | null }

/** Relays each topic beside the others. */
async function relayAll<Row extends Waiting>(
  session: Sql,
  outbox: Outbox<Row>,
  log: RelayLog,
  isProbe: boolean,
): Promise<TopicResult[]> {
  const [batches, failures] = await Promise.all([
    outbox.listWaiting(session),
    listDueFailures(session, outbox.ofTopics, RETRIES_MAX),
  ])
  const topics = new Set([...batches, ...failures].map(({ topic }) => topic))
  const outcomes = await Promise.allSettled(
    [...topics].map((topic) => {
      const batch = batches.find((one) => one.topic === topic) ?? { topic, rows: [], isFull: false }
      const due = failures.filter((one) => one.topic === topic)
      return relayTopic(session, batch, due, outbox, log, isProbe)
    }),
  )
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

async function relayTopic<Row extends Waiting>(
  session: Sql,
  { topic, rows: waiting, isFull }: Batch<Row>,
  due: DueFailure[],
  outbox: Outbox<Row>,
  log: RelayLog,
  isProbe: boolean,
): Promise<TopicResult> {
  const failuresOf = new Map(due.map(({ message_id, failures }) => [message_id, failures]))
  const failed: (Failure & { row: Row })[] = []
  let sent = 0
  let hasRecovered = false
  let isCutShort = false
  let outage: Failure | null = null

  const isTogether = outbox.isTogether(topic) && waiting.length > 1
  const refusal = isTogether ? await send(waiting) : null
  if (refusal !== null && isOutage(refusal.error) && !isProbe) return { isMore: false, outage: refusal }
  const again = due.length === 0 ? [] : await outbox.listFailed(session, due)
  const gone = due.filter(({ message_id }) => !again.some(({ id }) => id === message_id))
  await removeFailures(
    session,
    gone.map(({ message_id }) => message_id),
  ) // Erased, or marked sent by another relay.
  // Only calls with one message each show which message of a batch was refused.
  const alone = [...(isTogether && refusal === null ? [] : waiting), ...again]
  await sendEach(isProbe ? shuffledObjects(alone) : alone)
  await recordFailures()
  return { isMore: hasRecovered || (sent > 0 && (isFull || isCutShort)), outage: sent > 0 ? null : outage }

  async function send(rows: Row[]): Promise<Failure | null> {
    try {
      await outbox.handOver(topic, rows)
    } catch (error) {
      return { error }
    }
    const recovered = rows.filter(({ id }) => failuresOf.has(id))
    await removeFailures(
      session,
      recovered.map(({ id }) => id),
    ) // First: a failure without a message would block its object.
    await outbox.markSent(session, rows)
    for (const row of recovered) log.recovered({ topic, row, failures: failuresOf.get(row.id) ?? 0 })
    hasRecovered ||= recovered.length > 0
    sent += rows.length
    return null
  }

  // The messages of one object one after the other, those of some objects at once.
  async function sendEach(rows: Row[]): Promise<void> {
    const objects = [...Map.groupBy(rows, ({ object_id }) => object_id).values()]
    let unanswered = 0
    const lane = async () => {
      for (let own = objects.shift(); own !== undefined; own = objects.shift()) {
        const failure = await sendObject(own)
        if (failure === null || !isOutage(failure.error)) continue
        outage ??= failure
        unanswered += 1
        if (unanswered < UNANSWERED_MAX && (sent > 0 || isProbe)) continue
        isCutShort ||= objects.length > 0
        objects.length = 0
      }
    }
    await Promise.all(Array.from({ length: OBJECTS_AT_ONCE }, lane))
  }

  async function sendObject(rows: Row[]): Promise<Failure | null> {
    for (const row of rows) {
      const failure = await send([row])
      if (failure === null) continue
      failed.push({ row, ...failure })
      return failure
    }
    return null
  }

  async function recordFailures(): Promise<void> {
    const counted = sent > 0 ? failed : failed.filter(({ error }) => !isOutage(error))
    for (const { row, error } of counted) {
      const { failures, is_parked: isParked } = await recordFailure(session, topic, row, error, sent > 0)
      log.failed({ topic, row, failures, isParked, error })
    }
  }
}

// In another order of the objects, so that a few messages that get no answer do not hide the others.
function shuffledObjects<Row extends Waiting>(rows: Row[]): Row[] {
  const objects = [...Map.groupBy(rows, ({ object_id }) => object_id).values()]
  return objects
    .map((own) => ({ own, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ own }) => own)
}
