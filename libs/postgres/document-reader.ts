// Owns how an answer of PostgreSQL is taken apart on the connections of hot reads: a column named `documents` comes as the
// bytes it is. Those bytes are finished JSON that goes out again as bytes; as text a page would be decoded and encoded on its
// way, which one letter outside of Latin-1 makes dearer than the rest of the read (docs/performance.md), and lie on the heap.
// All other messages are pg-protocol's to read. A message that comes in pieces is put together in one buffer of its size, and
// a piece that is used up gives its memory back: it lies beside the heap, and that is what the collector runs for.
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { DataRowMessage } from 'pg-protocol/dist/messages.js'
import { type MessageCallback, Parser } from 'pg-protocol/dist/parser.js'
import { release } from '#memory/release'

/** The column that comes as bytes. */
const DOCUMENTS = 'documents'

// PostgreSQL's protocol, version 3: one byte of kind, four of length, themselves included.
const HEADER_BYTES = 5
const MESSAGE_BYTES_MAX = 2 ** 30 // PostgreSQL sends none that is longer.
const ROW_DESCRIPTION = 0x54 // T
const DATA_ROW = 0x44 // D
const FIELD_BYTES = 18 // What follows a column's name in a row description.
const NULL_LENGTH = -1

/** The parts of pg's client that its types do not show. */
type Inside = { connection: { attachListeners(stream: Duplex): void; emit(event: string, message: unknown): boolean } }

/** For a client that has not connected yet. */
export function readDocumentsAsBytes(client: pg.Client): void {
  const { connection } = client as unknown as Inside
  connection.attachListeners = (stream) => {
    const take = openDocumentReader((message) => {
      connection.emit(String(message.name) === 'error' ? 'errorMessage' : message.name, message)
    })
    stream.on('data', (piece: Buffer) => {
      try {
        take(piece)
      } catch (error) {
        stream.destroy(error as Error) // The client is told, and with it whoever waits for an answer.
      }
    })
  }
}

/**
 * Takes the pieces of a connection as they come and gives its messages in order. Each piece is its own from then on. Throws
 * where they cannot be PostgreSQL's.
 */
export function openDocumentReader(give: MessageCallback): (piece: Buffer) => void {
  const parser = new Parser()
  /** A message that has begun and is not whole; its size is known once its header is. */
  let begun: { bytes: Buffer; length: number; isHeader: boolean } | null = null
  /** Where the column stands in the rows that come; -1 where there is none. */
  let documentsAt = -1

  function takeWhole(bytes: Buffer): void {
    let from = 0
    for (let at = 0; at < bytes.length; at += wholeSize(bytes, at)) {
      const end = at + wholeSize(bytes, at)
      const kind = bytes[at]
      if (kind === ROW_DESCRIPTION) documentsAt = placeOfDocuments(bytes, at + HEADER_BYTES)
      if (kind !== DATA_ROW || documentsAt < 0) continue
      if (at > from) parser.parse(bytes.subarray(from, at), give)
      give(rowOf(bytes, at + HEADER_BYTES, end - at, documentsAt))
      from = end
    }
    if (bytes.length > from) parser.parse(from === 0 ? bytes : bytes.subarray(from), give)
  }

  // What is begun and, of the piece, what belongs to it. Gives how much of the piece that is.
  function goOn(piece: Buffer): number {
    let taken = 0
    while (begun !== null && taken < piece.length) {
      const wanted = begun.bytes.length - begun.length
      const part = piece.subarray(taken, taken + wanted)
      begun.bytes.set(part, begun.length)
      begun.length += part.length
      taken += part.length
      if (begun.length < begun.bytes.length) break
      if (begun.isHeader) {
        begun = begin(begun.bytes, wholeSize(begun.bytes, 0))
        if (begun.length < begun.bytes.length) continue
      }
      const whole = begun.bytes
      begun = null
      takeWhole(whole)
      release(whole)
    }
    return taken
  }

  return (piece) => {
    const from = begun === null ? 0 : goOn(piece)
    let end = from
    while (piece.length - end >= HEADER_BYTES && wholeSize(piece, end) <= piece.length - end)
      end += wholeSize(piece, end)
    if (end > from) takeWhole(piece.subarray(from, end))
    if (end < piece.length) {
      const rest = piece.subarray(end)
      const isHeader = rest.length < HEADER_BYTES
      begun = { ...begin(rest, isHeader ? HEADER_BYTES : wholeSize(rest, 0)), isHeader }
    }
    release(piece) // Not that of a login, which pg reads later: it is small.
  }
}

function begin(part: Uint8Array, size: number) {
  const bytes = Buffer.allocUnsafeSlow(size)
  bytes.set(part)
  return { bytes, length: part.length, isHeader: false }
}

function wholeSize(bytes: Buffer, at: number): number {
  const size = 1 + bytes.readUInt32BE(at + 1)
  if (size < HEADER_BYTES || size > MESSAGE_BYTES_MAX) throw new Error('What came is no message of PostgreSQL.')
  return size
}

function placeOfDocuments(bytes: Buffer, at: number): number {
  const count = bytes.readInt16BE(at)
  let from = at + 2
  for (let place = 0; place < count; place += 1) {
    const end = bytes.indexOf(0, from)
    if (end - from === DOCUMENTS.length && bytes.toString('latin1', from, end) === DOCUMENTS) return place
    from = end + 1 + FIELD_BYTES
  }
  return -1
}

function rowOf(bytes: Buffer, at: number, size: number, documentsAt: number): DataRowMessage {
  const fields: (string | Buffer | null)[] = []
  const count = bytes.readInt16BE(at)
  let from = at + 2
  for (let place = 0; place < count; place += 1) {
    const length = bytes.readInt32BE(from)
    from += 4
    const end = from + Math.max(0, length)
    if (length === NULL_LENGTH) fields.push(null)
    else if (place === documentsAt) fields.push(begin(bytes.subarray(from, end), length).bytes)
    else fields.push(bytes.toString('utf8', from, end))
    from = end
  }
  return new DataRowMessage(size - 1, fields)
}
