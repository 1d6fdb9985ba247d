// Writes an event in the transaction of its change: both are committed or neither. docs/spec/outboxes.md#writing
// The body is compact JSON, rendered once; `data` is the object's own document. docs/spec/events.md#body
import { randomBytes } from 'node:crypto'
import type { EventBody, EventKind } from '#contracts/objects/webhook-event'
import { EVENT_VERSION, SERVICE_VERSION } from '#contracts/versions'
import type { Sql } from '#postgres/connect'
import { epochOf } from './epochs.ts'

/** `document`: the object's finished JSON. `sequence`: 1-based number of the event for its object. `now`: when it happened. */
export type HappenedEvent = {
  shopId: string
  objectId: string
  sequence: number
  type: EventKind
  document: string
  now: Date
}

/** Writes one event. The object's row must be locked or new in this transaction: so sequences are committed in order. */
export async function recordEvent(tx: Sql, happened: HappenedEvent): Promise<void> {
  const { shopId, objectId, sequence, type, now } = happened
  const id = eventId(now, sequence)
  const [before, after] = aroundEpoch(id, happened)
  await tx.write(
    `insert into events (id, shop_id, object_id, sequence, type, body, happened_at)
     values ($1, $2, $3, $4, $5, $6::text || ${epochOf('$2')}::text || $7::text, $8)`,
    [id, shopId, objectId, sequence, type, before, after, now],
  )
}

/** Writes the newest events of an object, in the order of `types`. `event_seq` of the object counts them already. */
export async function recordEvents(
  tx: Sql,
  object: { id: string; shop_id: string; event_seq: number; document: string },
  types: readonly EventKind[],
  now: Date,
): Promise<void> {
  const { id: objectId, shop_id: shopId, document } = object
  const first = object.event_seq - types.length + 1
  for (const [index, type] of types.entries()) {
    await recordEvent(tx, { shopId, objectId, sequence: first + index, type, document, now })
  }
}

/** The body of the event with that id in that epoch of the shop, as it is sent. */
export function eventBody(id: string, happened: HappenedEvent, epoch = 0): string {
  return aroundEpoch(id, happened).join(String(epoch))
}

// The body up to the number of the epoch, and behind it.
function aroundEpoch(id: string, { shopId, sequence, type, document, now }: HappenedEvent): [string, string] {
  const head: Omit<EventBody, 'epoch' | 'test' | 'data'> = {
    id,
    object: 'event',
    type,
    version: EVENT_VERSION,
    apiVersion: SERVICE_VERSION,
    timestamp: now.toISOString(),
    shopId,
    sequence,
  }
  return [`${JSON.stringify(head).slice(0, -1)},"epoch":`, `,"test":false,"data":${document}}`]
}

/**
 * A UUID of version 7. Its counter bits hold the sequence, so that events of one object and one instant sort by id in the order in
 * which they happened.
 */
export function eventId(now: Date, sequence: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now.getTime(), 0, 6)
  bytes.writeUInt16BE(0x7000 | (sequence & 0x0fff), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
