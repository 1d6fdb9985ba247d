// Owns the reading of a secret from a file that a setting names (SECRET_KEY_FILE and its like): how orchestrators hand
// secrets over without showing them in the environment of a process. Whatever is wrong stops the start with one line that
// names the setting and the file, never the content.
import { closeSync, openSync, readSync } from 'node:fs'

const BYTES_MAX = 65_536 // Whoever names a device by mistake is told so, in place of waiting for its end.

/** The content of the file as a setting would have it, without the line break at its end; `setting` names it in refusals. */
export function readSecretFile(setting: string, path: string): string {
  const told = `${setting} names ${JSON.stringify(path)}`
  const content = read(told, path)
  if (content.length > BYTES_MAX) throw new Error(`${told}, which is larger than ${BYTES_MAX} bytes.`)
  const text = content.toString('utf8').trim()
  if (text === '') throw new Error(`${told}, which is empty.`)
  return text
}

function read(told: string, path: string): Buffer {
  try {
    const file = openSync(path, 'r')
    try {
      return readUpTo(file, BYTES_MAX + 1)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new Error(`${told}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`)
  }
}

function readUpTo(file: number, bytesMax: number): Buffer {
  const buffer = Buffer.alloc(bytesMax)
  let length = 0
  for (let bytes = -1; bytes !== 0 && length < bytesMax; length += bytes) {
    bytes = readSync(file, buffer, length, bytesMax - length, null)
  }
  return buffer.subarray(0, length)
}
