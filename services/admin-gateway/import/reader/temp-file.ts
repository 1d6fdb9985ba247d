// A temporary file of numbers and texts that a large import does not hold in memory. It has no name once it is open, so nothing of it stays,
// however the process ends.
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TempFile = {
  /** The bytes at this offset; zeros where nothing was written. */
  read(at: number, length: number): Buffer
  write(at: number, bytes: Uint8Array): void
  close(): void
}

/** Nothing is opened before the first write. */
export function openTempFile(): TempFile {
  let file: number | null = null
  return {
    read(at, length) {
      const bytes = Buffer.alloc(length)
      if (file !== null) readSync(file, bytes, 0, length, at)
      return bytes
    },
    write(at, bytes) {
      file ??= openUnnamed()
      writeSync(file, bytes, 0, bytes.length, at)
    },
    close() {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

function openUnnamed(): number {
  const path = join(tmpdir(), `storefront-import-${process.pid}-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}
