// The check that a file is UTF-8 text (docs/spec/imports.md#encoding). The reader guesses nothing; only the
// refusal says what the bytes look like, so that a person knows how to save the file.
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { FileProblem } from './csv.ts'

/** Throws the file problem `encoding` with the offset of the first byte that is not UTF-8 text. */
export async function checkEncoding(path: string, signal?: AbortSignal): Promise<void> {
  let cut: Uint8Array = new Uint8Array(0)
  let offset = 0
  let kind: Kind | null = null
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    signal?.throwIfAborted()
    const bytes = cut.length === 0 ? chunk : Buffer.concat([cut, chunk])
    if (offset === 0) kind = kindOf(bytes)
    const whole = wholeLength(bytes)
    if (!isUtf8(bytes.subarray(0, whole))) throw encodingProblem(offset + firstInvalid(bytes), kind)
    // UTF-16 without a byte order mark is valid UTF-8 with a character U+0000 beside each letter.
    if (kind !== null) throw encodingProblem(Math.max(bytes.indexOf(0), 0), kind)
    cut = bytes.subarray(whole)
    offset += whole
  }
  if (cut.length > 0) throw encodingProblem(offset, kind)
}

type Kind = keyof typeof advice
const advice = {
  workbook: 'It is an Excel workbook: open it and save the sheet as "CSV UTF-8".',
  zip: 'It is a zip archive: unpack it and import the CSV file inside.',
  gzip: 'It is a gzip archive: unpack it and import the CSV file inside.',
  utf16: 'It looks like UTF-16 ("Unicode text"): save it as "CSV UTF-8".',
  binary: 'It is not text: export a CSV file.',
  latin1: 'It may be Latin-1 (Windows-1252) text: save it as "CSV UTF-8".',
}

function encodingProblem(offset: number, kind: Kind | null) {
  return new FileProblem('encoding', `The file is not UTF-8 text: byte offset ${offset}. ${advice[kind ?? 'latin1']}`)
}

const HEAD_BYTES = 4_096

/** What the beginning of a file that is not UTF-8 text shows, or null. */
function kindOf(bytes: Uint8Array): Kind | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
  const begins = (hex: string) => head.subarray(0, hex.length / 2).toString('hex') === hex
  if (begins('504b0304')) return /\[Content_Types\]\.xml|xl\//.test(head.toString('latin1')) ? 'workbook' : 'zip'
  if (begins('d0cf11e0')) return 'workbook'
  if (begins('1f8b')) return 'gzip'
  if (begins('fffe') || begins('feff')) return 'utf16'
  // Without a byte order mark: in UTF-16 every second byte of a text of Latin letters is 0.
  const zeros = [0, 1].map((odd) => head.filter((byte, index) => index % 2 === odd && byte === 0).length)
  const [most = 0, least = 0] = zeros.sort((a, b) => b - a)
  if (most > head.length / 4 && least < most / 4) return 'utf16'
  return most > head.length / 8 ? 'binary' : null
}

/** The length without a character that the end of `bytes` splits. */
function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return characterLength(byte) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function characterLength(firstByte: number): number {
  if (firstByte >= 0xf0) return 4
  return firstByte >= 0xe0 ? 3 : 2
}

/** The start of the first invalid sequence, by binary search: every shorter beginning is valid, every longer one is not. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1
    const head = bytes.subarray(0, middle)
    if (isUtf8(head.subarray(0, wholeLength(head)))) valid = middle
    else invalid = middle
  }
  return wholeLength(bytes.subarray(0, valid))
}
