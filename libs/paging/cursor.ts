// The cursor: position of the last row of a page, signed, and bound to shop, list and filters. docs/spec/rest-api.md#cursors
// Form: base64url( instant in ms, 8 bytes | id, 16 bytes | upper bound in ms, 8 bytes or none | MAC, 16 bytes ). The position is not
// secret, but cannot be forged.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { refuse } from '#contracts/errors'

/** `until`: the upper bound of the walk (docs/spec/sync.md#watermark), absent where the list has no `_after` filter. */
export type Position = { createdAt: Date; id: string; until?: Date | undefined }
export type CursorScope = { keys: KeyObject[]; resource: string; shopId: string; filter: string }

const ROW_BYTES = 24
const BOUND_BYTES = 8
const MAC_BYTES = 16

/** Signs a position with the first key of the scope. */
export function signCursor(position: Position, scope: CursorScope): string {
  const packed = Buffer.alloc(position.until === undefined ? ROW_BYTES : ROW_BYTES + BOUND_BYTES)
  packed.writeBigInt64BE(BigInt(position.createdAt.getTime()), 0)
  packed.write(position.id.replaceAll('-', ''), 8, 'hex')
  if (position.until !== undefined) packed.writeBigInt64BE(BigInt(position.until.getTime()), ROW_BYTES)
  const [signingKey] = scope.keys
  if (signingKey === undefined) throw new Error('A cursor needs a key.')
  return Buffer.concat([packed, macOf(packed, scope, signingKey)]).toString('base64url')
}

/** The position in a cursor. Refuses invalid_request for anything that was not issued for this very list. */
export function openCursor(cursor: string, scope: CursorScope): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  // Other spellings decode to the same bytes; only the issued one is accepted.
  const size = bytes.length - MAC_BYTES
  const hasBound = size === ROW_BYTES + BOUND_BYTES
  if ((size !== ROW_BYTES && !hasBound) || bytes.toString('base64url') !== cursor) throw notIssued()
  const packed = bytes.subarray(0, size)
  const mac = bytes.subarray(size)
  if (!scope.keys.some((key) => timingSafeEqual(mac, macOf(packed, scope, key)))) throw notIssued()
  const hex = packed.toString('hex', 8, ROW_BYTES)
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  const instantAt = (offset: number) => new Date(Number(packed.readBigInt64BE(offset)))
  return { createdAt: instantAt(0), id, until: hasBound ? instantAt(ROW_BYTES) : undefined }
}

function macOf(packed: Buffer, scope: CursorScope, key: KeyObject): Buffer {
  const bound = JSON.stringify([scope.resource, scope.shopId, scope.filter])
  return createHmac('sha256', key).update(packed).update(bound).digest().subarray(0, MAC_BYTES)
}

function notIssued() {
  return refuse(
    'invalid_request',
    'cursor was not issued for this list. Send the next_cursor of the page before it, with the same filters.',
    {
      field: 'cursor',
    },
  )
}
