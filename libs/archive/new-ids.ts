// The ids of a restore with new ids: each follows from the id of the new shop and the old id, so a restore that is continued makes the same.
// docs/spec/archives.md#new-ids
import { createHash } from 'node:crypto'
import type { ColumnType } from '#contracts/archive/rows'

/** The new value of a column of that type; only ids and digests become others. */
export function newValue(shopId: string, type: ColumnType, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type === 'id') return newId(shopId, value)
  if (type === 'event_id') return newEventId(shopId, value)
  if (type === 'digest') return `\\x${digestOf(shopId, value).toString('hex')}`
  return value
}

/** A UUID of version 8. */
export function newId(shopId: string, id: string): string {
  const bytes = digestOf(shopId, id).subarray(0, 16)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return formatted(bytes.toString('hex'))
}

/** As the old id, a UUID of version 7: its first 8 bytes, instant and counter, stay. An event is found by them. */
export function newEventId(shopId: string, id: string): string {
  const bytes = digestOf(shopId, id).subarray(0, 16)
  bytes.write(id.replaceAll('-', '').slice(0, 16), 'hex')
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return formatted(bytes.toString('hex'))
}

function digestOf(shopId: string, text: string): Buffer {
  return createHash('sha256').update(`${shopId}:${text}`).digest()
}

function formatted(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
