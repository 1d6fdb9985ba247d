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

const HELD_FIRST_BYTES = 64 * 1024

/** What lies below `heldBytes` stays in memory. Nothing is opened before the first write beyond it. */
export function openTempFile(heldBytes = 0): TempFile {
  let held = Buffer.alloc(0)
  let file: number | null = null
  return {
    read(at, length) {
      const inMemory = Math.max(Math.min(length, heldBytes - at), 0)
      const bytes = Buffer.alloc(length)
      if (inMemory > 0 && at < held.length) held.copy(bytes, 0, at, at + inMemory)
      if (file !== null && inMemory < length) readSync(file, bytes, inMemory, length - inMemory, at + inMemory)
      return bytes
    },
    write(at, bytes) {
      const inMemory = Math.max(Math.min(bytes.length, heldBytes - at), 0)
      if (inMemory > 0) {
        if (at + inMemory > held.length) held = grown(held, Math.min(heldBytes, 2 * (at + inMemory)))
        held.set(bytes.subarray(0, inMemory), at)
      }
      if (inMemory === bytes.length) return
      file ??= openUnnamed()
      writeSync(file, bytes, inMemory, bytes.length - inMemory, at + inMemory)
    },
    close() {
      held = Buffer.alloc(0)
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

function grown(held: Buffer<ArrayBuffer>, bytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(Math.max(bytes, HELD_FIRST_BYTES))
  held.copy(larger)
  return larger
}

function openUnnamed(): number {
  const path = join(tmpdir(), `storefront-import-${process.pid}-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}
