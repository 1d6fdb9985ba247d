// What operators do with parked messages: list them, have them tried again, drop them. docs/spec/outboxes.md#parked-messages
import type { KeyObject } from 'node:crypto'
import { command, NO_SHOP } from '#audit/command'
import { isUuid } from '#contracts/actions/params'
import { refuse } from '#contracts/errors'
import type { OutboxMessage } from '#contracts/objects/outbox-message'
import { AUDIT_TOPIC, EVENTS_TOPIC, type OutboxSchema } from '#contracts/outbox-messages'
import { afterCursor, conditions } from '#paging/list'
import { filterText, openPage, type PageRequest, toPage, toSingle } from '#paging/page'
import type { Database, Sql } from '#postgres/connect'
import type { ActionContext, ActionHandlers } from '#runtime/service'
import type { Log } from '#telemetry/log'
import { removeFailures } from './failures.ts'

type ParkedRow = {
  message_id: string
  topic: string
  shop_id: string
  object_id: string
  failures: number
  last_error: string
  created_at: Date
  first_failed_at: Date
  parked_at: Date | null
}
type ParkedOptions = { db: Database; cursorKeys: KeyObject[]; log: Log; wake(): void }

const COLUMNS = 'message_id, topic, shop_id, object_id, failures, last_error, created_at, first_failed_at, parked_at'
// Messages of all shops: the cursors, kept answers and entries of these commands belong to none.
const ofAllShops = { keysOf: NO_SHOP, shopId: null }

/** `wake` starts the relays after a message is to be tried again or was dropped. Refuse not_found for a message that is not parked. */
export function parkedHandlers(schema: OutboxSchema, { db, cursorKeys, log, wake }: ParkedOptions): ActionHandlers {
  const scope = { keys: cursorKeys, resource: `${schema}-parked`, shopId: NO_SHOP, filter: filterText({}) }

  async function list({ params }: ActionContext<'orders.list_parked'>): Promise<Buffer> {
    const page = openPage(params, scope)
    const rows = await listParked(db, page)
    return toPage(
      rows.map((row) => ({ id: row.message_id, created_at: row.parked_at ?? row.created_at, document: render(row) })),
      page,
    )
  }

  async function retry({ params: { id }, locals }: ActionContext<'orders.retry_parked'>): Promise<Buffer> {
    const answer = await db.transaction((tx) =>
      command(
        tx,
        locals,
        async () => {
          const parked = isUuid(id) ? await lockParked(tx, id) : null
          const row = parked && (await unpark(tx, parked.message_id))
          if (parked === null || row === null) throw noMessage()
          return { before: render(parked), after: render(row) }
        },
        ofAllShops,
      ),
    )
    wake()
    return answer
  }

  async function drop({ params: { id }, locals }: ActionContext<'orders.drop_parked'>): Promise<Buffer> {
    const dropped: ParkedRow[] = []
    const work = async (tx: Sql) => {
      const parked = isUuid(id) ? await lockParked(tx, id) : null
      if (parked === null) throw noMessage()
      if (parked.topic === AUDIT_TOPIC) throw refuse('conflict', 'An entry of the audit is never dropped. Retry it.')
      await removeFailures(tx, [parked.message_id])
      if (parked.topic === EVENTS_TOPIC) await markEventDropped(tx, parked)
      else await markMessageDropped(tx, parked)
      dropped[0] = parked
      const answer = toSingle(JSON.stringify({ id: parked.message_id, object: 'outbox_message', deleted: true }))
      return { before: render(parked), after: null, answer }
    }
    const answer = await db.transaction((tx) => command(tx, locals, () => work(tx), ofAllShops))
    for (const { message_id, topic, shop_id, failures: count } of dropped) {
      log.warn({ schema, topic, message_id, shop_id, count }, 'a parked message was dropped by an operator')
    }
    wake()
    return answer
  }

  function render(row: ParkedRow): string {
    const message: OutboxMessage = {
      id: row.message_id,
      object: 'outbox_message',
      schema,
      topic: row.topic,
      shopId: row.shop_id,
      objectId: row.object_id,
      failures: row.failures,
      lastError: row.last_error,
      createdAt: row.created_at.toISOString(),
      firstFailedAt: row.first_failed_at.toISOString(),
      parkedAt: row.parked_at?.toISOString() ?? null,
    }
    return JSON.stringify(message)
  }

  return { [`${schema}.list_parked`]: list, [`${schema}.retry_parked`]: retry, [`${schema}.drop_parked`]: drop }
}

function noMessage() {
  return refuse('not_found', 'No parked message with that id in this outbox.')
}

/** A page of parked messages, the last parked first. Index: outbox_failures_parked. All shops: operators. */
function listParked(db: Sql, page: PageRequest): Promise<ParkedRow[]> {
  const list = conditions([['parked_at is not null'], afterCursor('parked_at, message_id', page)])
  return db.rows(
    `select ${COLUMNS} from outbox_failures where ${list.where}
     order by parked_at desc, message_id desc limit ${list.next(page.rowsMax)}`,
    list.values,
  )
}

async function lockParked(tx: Sql, id: string): Promise<ParkedRow | null> {
  const [row] = await tx.rows<ParkedRow>(
    `select ${COLUMNS} from outbox_failures where message_id = $1 and parked_at is not null for update`,
    [id],
  )
  return row ?? null
}

// The message gets all its attempts anew.
async function unpark(tx: Sql, id: string): Promise<ParkedRow | null> {
  const [row] = await tx.rows<ParkedRow>(
    `update outbox_failures set parked_at = null, failures = 0, first_failed_at = clock_timestamp(), retry_at = clock_timestamp()
     where message_id = $1 and parked_at is not null returning ${COLUMNS}`,
    [id],
  )
  return row ?? null
}

async function markEventDropped(tx: Sql, { message_id, shop_id, object_id }: ParkedRow): Promise<void> {
  await tx.write(
    `update events set published_at = clock_timestamp()
     where shop_id = $1 and object_id = $2 and id = $3 and published_at is null`,
    [shop_id, object_id, message_id],
  )
}

async function markMessageDropped(tx: Sql, { message_id, shop_id }: ParkedRow): Promise<void> {
  await tx.write('update outbox set sent_at = clock_timestamp() where shop_id = $1 and id = $2 and sent_at is null', [
    shop_id,
    message_id,
  ])
}
