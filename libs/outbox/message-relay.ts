// Owns the hand-over of messages. Protocol: one active relay for each schema (session advisory lock); it reads unsent
// messages in order, calls each receiver, and marks the message sent when all have answered. An answer means "stored over
// there". A relay that dies between call and mark makes the next one call again; receivers ignore what they know.
// A receiver that does not answer holds up later messages: order matters more than haste. Wake-up is a hint, the poll is
// the floor.
import { type Message, type MessageKind, receivers } from '#contracts/outbox-messages'
import type { Database } from '#postgres/connect'

const BATCH = 200
const POLL_MS = 1_000
const KEPT_DAYS = 7

export type Ask = (action: string, params: unknown) => Promise<unknown>
export type Relay = { wake(): void; stop(): Promise<void>; oldestUnsentS(): Promise<number> }
type RelayOptions = { db: Database; schema: string; ask: Ask; onError(error: unknown): void }
type OutboxRow = { position: number; id: string; shop_id: string; kind: MessageKind; body: string }

/** Starts the relay of one schema; it works in the background until stopped. */
export function startRelay(options: RelayOptions): Relay {
  let stopped = false
  let rouse: () => void = () => undefined
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS)
      rouse = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const loop = (async () => {
    while (!stopped) {
      const sent = await deliverBatch(options).catch((error: unknown) => {
        options.onError(error)
        return 0
      })
      if (sent < BATCH && !stopped) await pause()
    }
  })()
  return {
    wake: () => rouse(),
    async stop() {
      stopped = true
      rouse()
      await loop
    },
    async oldestUnsentS() {
      const [row] = await options.db.rows<{ age_s: number | null }>(
        'select extract(epoch from now() - min(created_at))::float8 as age_s from outbox where sent_at is null', // All shops.
      )
      return row?.age_s ?? 0
    },
  }
}

async function deliverBatch({ db, schema, ask }: RelayOptions): Promise<number> {
  return db.session(async (session) => {
    const [lock] = await session.rows<{ held: boolean }>(
      "select pg_try_advisory_lock(hashtext('relay:' || $1)) as held",
      [schema],
    )
    if (lock?.held !== true) return 0
    const rows = await session.rows<OutboxRow>(
      'select position, id, shop_id, kind, body from outbox where sent_at is null order by position limit $1', // All shops.
      [BATCH],
    )
    for (const row of rows) {
      const message: Message = { id: row.id, kind: row.kind, shop_id: row.shop_id, body: JSON.parse(row.body) }
      for (const receiver of receivers[row.kind]) await ask(receiver, message)
      await session.rows('update outbox set sent_at = now() where position = $1', [row.position]) // By its own key.
    }
    await session.rows("select pg_advisory_unlock(hashtext('relay:' || $1))", [schema])
    return rows.length
  })
}

/** Deletes messages sent more than a week ago, in small steps; gives how many. */
export async function forgetSent(db: Database): Promise<number> {
  const gone = await db.rows(
    `delete from outbox where position in (
       select position from outbox where sent_at < now() - make_interval(days => $1) limit 1000) returning 1`, // All shops.
    [KEPT_DAYS],
  )
  return gone.length
}
