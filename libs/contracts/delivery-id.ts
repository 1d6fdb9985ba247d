// Which endpoints an event is for, and the id of its delivery to one of them. docs/spec/webhooks.md#filter
import { createHash } from 'node:crypto'

/** Whether the filter contains the kind, its family (`order.*`) or `*`. */
export function matchesFilter(type: string, filter: readonly string[]): boolean {
  const family = `${type.slice(0, type.indexOf('.'))}.*`
  return filter.some((name) => name === '*' || name === family || name === type)
}

/**
 * The id of this event's delivery to this endpoint, always the same. Like a UUID of version 7 it begins with the instant of the
 * event, so that the id alone finds the partition, and the event's counter follows, so that deliveries sort as their events.
 */
export function deliveryId(eventId: string, endpointId: string, happenedAt: Date): string {
  const bytes = createHash('sha256').update(`${eventId}:${endpointId}`).digest().subarray(0, 16)
  bytes.writeUIntBE(happenedAt.getTime(), 0, 6)
  bytes.write(`7${eventId.replaceAll('-', '').slice(13, 16)}`, 6, 'hex')
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The instant of the delivery's event. Takes a UUID. */
export function happenedAtOf(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
}

/** The least id that a delivery of an event at that instant can have. */
export function firstIdAt(at: Date): string {
  const hex = Math.max(at.getTime(), 0).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
