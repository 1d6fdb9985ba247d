// Reads a secret from the file that a setting such as SECRET_KEY_FILE names: docs/spec/running.md#secrets-in-files.
// Errors name the setting and the file, never the content.
import { closeSync, openSync, readSync } from 'node:fs'

const BYTES_MAX = 65_536 // A device named by mistake has no end.

/** The trimmed content of the file. Throws an Error of one line if it cannot be read, is empty or is larger than 64 KiB. */
export function readSecretFile(setting: string, path: string): string {
  const subject = `${setting} names ${JSON.stringify(path)}`
  const content = read(subject, path)
  if (content.length > BYTES_MAX) throw new Error(`${subject}, which is larger than ${BYTES_MAX} bytes.`)
  const text = content.toString('utf8').trim()
  if (text === '') throw new Error(`${subject}, which is empty.`)
  return text
}

function read(subject: string, path: string): Buffer {
  try {
    const file = openSync(path, 'r')
    try {
      return readUpTo(file, BYTES_MAX + 1)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new Error(`${subject}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`)
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
