// Owns the check that a file is UTF-8, and where it stops being so.
// import-formats.md, section 1, row "Encoding": invalid bytes fail the file with their offset; nothing is guessed.
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { fileProblem } from './file-problem.ts'

/** Reads the file once. Throws the file problem `encoding` with the offset of the first byte that is not UTF-8. */
export async function checkUtf8(path: string): Promise<void> {
  let cut: Uint8Array = new Uint8Array(0)
  let offset = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    const bytes = cut.length === 0 ? chunk : Buffer.concat([cut, chunk])
    const whole = wholeLength(bytes)
    if (!isUtf8(bytes.subarray(0, whole))) throw encodingProblem(offset + firstInvalid(bytes))
    cut = bytes.subarray(whole)
    offset += whole
  }
  if (cut.length > 0) throw encodingProblem(offset)
}

function encodingProblem(offset: number) {
  return fileProblem('encoding', `The file is not UTF-8: byte offset ${offset}.`)
}

/** The length without a character that the end of `bytes` cuts in two. */
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

/** Where the first invalid sequence begins, found by halving: every shorter beginning is valid, every longer one not. */
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
