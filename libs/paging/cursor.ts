// The cursor: position of the last row of a page, signed, and bound to shop, list and filters. docs/spec/rest-api.md#cursors
// Form: base64url( instant in ms, 8 bytes | id, 16 bytes | MAC, 16 bytes ). The position is not secret, but cannot be forged.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { refuse } from '#contracts/errors'

export type Position = { createdAt: Date; id: string }
export type CursorScope = { keys: KeyObject[]; resource: string; shopId: string; filter: string }

const POSITION_BYTES = 24
const MAC_BYTES = 16
const CURSOR_LENGTH = 54 // 40 bytes in base64url.

/** Signs a position with the first key of the scope. */
export function signCursor(position: Position, scope: CursorScope): string {
  const packed = Buffer.alloc(POSITION_BYTES)
  packed.writeBigInt64BE(BigInt(position.createdAt.getTime()), 0)
  packed.write(position.id.replaceAll('-', ''), 8, 'hex')
  const [signingKey] = scope.keys
  if (signingKey === undefined) throw new Error('A cursor needs a key.')
  return Buffer.concat([packed, macOf(packed, scope, signingKey)]).toString('base64url')
}

/** The position in a cursor. Refuses invalid_request for anything that was not issued for this very list. */
export function openCursor(cursor: string, scope: CursorScope): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  // Other spellings decode to the same bytes; only the issued one is accepted.
  const wellFormed = cursor.length === CURSOR_LENGTH && bytes.toString('base64url') === cursor
  if (!wellFormed || bytes.length !== POSITION_BYTES + MAC_BYTES) throw notIssued()
  const packed = bytes.subarray(0, POSITION_BYTES)
  const mac = bytes.subarray(POSITION_BYTES)
  if (!scope.keys.some((key) => timingSafeEqual(mac, macOf(packed, scope, key)))) throw notIssued()
  const hex = packed.toString('hex', 8)
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  return { createdAt: new Date(Number(packed.readBigInt64BE(0))), id }
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
