// Owns the id of a delivery: a UUID made of the event and the endpoint, so that there can be only one of the two, however
// often it is asked for. It begins with the instant of the event, as version 7 does: whoever has the id knows the day. The
// counter of the event's own id follows, so that deliveries of one instant sort as their events do.
import { createHash } from 'node:crypto'

/** The one id of this event's delivery to this endpoint. */
export function deliveryId(eventId: string, endpointId: string, happenedAt: Date): string {
  const bytes = createHash('sha256').update(`${eventId}:${endpointId}`).digest().subarray(0, 16)
  bytes.writeUIntBE(happenedAt.getTime(), 0, 6)
  bytes.write(`7${eventId.replaceAll('-', '').slice(13, 16)}`, 6, 'hex')
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** When the event of the delivery happened. Takes a UUID. */
export function happenedAtOf(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
}
