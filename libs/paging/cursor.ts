// The cursor: a signed position in a list, bound to shop, list and filters. docs/spec/rest-api.md#cursors
// Form: base64url( position | MAC, 16 bytes ). The position is not secret, but cannot be forged. It is one of three kinds:
//   a row of a list that is ordered by time   instant in ms, 8 bytes | id, 16 bytes | upper bound in ms, 8 bytes or none
//   a number in a list that is numbered       8 bytes
//   an id in a list that is ordered by ids    16 bytes
// A list has positions of one kind, and a cursor of the other kind was not issued for it.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { noteKeyUse } from '#config/derive-key'
import { refuse } from '#contracts/errors'

/** `until`: the upper bound of the walk (docs/spec/sync.md#watermark), absent where the list has no `_after` filter. */
export type Position = { createdAt: Date; id: string; until?: Date | undefined }
export type CursorScope = { keys: KeyObject[]; resource: string; shopId: string; filter: string }

const NUMBER_BYTES = 8
const ID_BYTES = 16
const ROW_BYTES = 24
const BOUND_BYTES = 8
const MAC_BYTES = 16

/** Signs a position with the first key of the scope. */
export function signCursor(position: Position, scope: CursorScope): string {
  const packed = Buffer.alloc(position.until === undefined ? ROW_BYTES : ROW_BYTES + BOUND_BYTES)
  packed.writeBigInt64BE(BigInt(position.createdAt.getTime()), 0)
  writeId(position.id, packed, 8)
  if (position.until !== undefined) packed.writeBigInt64BE(BigInt(position.until.getTime()), ROW_BYTES)
  return signed(packed, scope)
}

/** The position in a cursor. Refuses invalid_request for anything that was not issued for this very list. */
export function openCursor(cursor: string, scope: CursorScope): Position {
  const packed = verified(cursor, scope, [ROW_BYTES, ROW_BYTES + BOUND_BYTES])
  const id = readId(packed, 8)
  const instantAt = (offset: number) => new Date(Number(packed.readBigInt64BE(offset)))
  return { createdAt: instantAt(0), id, until: packed.length > ROW_BYTES ? instantAt(ROW_BYTES) : undefined }
}

/** Signs a number of a numbered list with the first key of the scope. */
export function signNumberCursor(number: number, scope: CursorScope): string {
  const packed = Buffer.alloc(NUMBER_BYTES)
  packed.writeBigInt64BE(BigInt(number), 0)
  return signed(packed, scope)
}

/** The number in a cursor of a numbered list. Refuses as `openCursor`. */
export function openNumberCursor(cursor: string, scope: CursorScope): number {
  return Number(verified(cursor, scope, [NUMBER_BYTES]).readBigInt64BE(0))
}

/** Signs an id of a list in the order of ids with the first key of the scope. */
export function signIdCursor(id: string, scope: CursorScope): string {
  const packed = Buffer.alloc(ID_BYTES)
  writeId(id, packed, 0)
  return signed(packed, scope)
}

/** The id in a cursor of a list in the order of ids. Refuses as `openCursor`. */
export function openIdCursor(cursor: string, scope: CursorScope): string {
  return readId(verified(cursor, scope, [ID_BYTES]), 0)
}

function writeId(id: string, packed: Buffer, offset: number): void {
  packed.write(id.replaceAll('-', ''), offset, 'hex')
}

function readId(packed: Buffer, offset: number): string {
  const hex = packed.toString('hex', offset, offset + ID_BYTES)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function signed(packed: Buffer, scope: CursorScope): string {
  const [signingKey] = scope.keys
  if (signingKey === undefined) throw new Error('A cursor needs a key.')
  return Buffer.concat([packed, macOf(packed, scope, signingKey)]).toString('base64url')
}

// The packed position, which has one of these sizes.
function verified(cursor: string, scope: CursorScope, sizes: number[]): Buffer {
  const bytes = Buffer.from(cursor, 'base64url')
  const size = bytes.length - MAC_BYTES
  // Other spellings decode to the same bytes; only the issued one is accepted.
  if (!sizes.includes(size) || bytes.toString('base64url') !== cursor) throw notIssued()
  const packed = bytes.subarray(0, size)
  const mac = bytes.subarray(size)
  const key = scope.keys.find((one) => timingSafeEqual(mac, macOf(packed, scope, one)))
  if (key === undefined) throw notIssued()
  noteKeyUse(key)
  return packed
}

function macOf(packed: Buffer, scope: CursorScope, key: KeyObject): Buffer {
  const bound = JSON.stringify([scope.resource, scope.shopId, scope.filter])
  return createHmac('sha256', key).update(packed).update(bound).digest().subarray(0, MAC_BYTES)
}

function notIssued() {
  const words =
    'cursor was not issued for this list. Send the next_cursor of the page before it, with the same filters.'
  return refuse('invalid_request', words, { field: 'cursor' })
}
