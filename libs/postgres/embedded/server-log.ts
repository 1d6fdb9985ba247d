// The log file of the embedded PostgreSQL: readable by its owner only, and bounded (docs/spec/running.md#embedded-mode).
// PostgreSQL appends to the open file itself, so a full log is copied aside and emptied in place.
import {
  chmodSync,
  chownSync,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { ServerUser } from './system-user.ts'

const BYTES_MAX = 5_000_000 // Of the file, and of the one copy that is kept beside it.
const LOOK_MS = 5_000

/** Opens the file to append, and its folder, for their owner only. `bytes`: its length so far. */
export function openLogFile(file: string, { uid, gid }: ServerUser): { descriptor: number; bytes: number } {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o700)
  rotate(file)
  const descriptor = openSync(file, 'a', 0o600)
  fchmodSync(descriptor, 0o600)
  if (uid !== undefined && gid !== undefined) {
    chownSync(folder, uid, gid)
    fchownSync(descriptor, uid, gid)
  }
  return { descriptor, bytes: fstatSync(descriptor).size }
}

/** Removes the log of versions that kept it readable by everybody, with values of rows. */
export function removeOpenLog(file: string): void {
  for (const old of [file, `${file}.1`]) rmSync(old, { force: true })
}

/** Keeps the file bounded while the server writes to it, until stopped. */
export function boundLog(file: string): { stop(): void } {
  const look = setInterval(() => {
    try {
      rotate(file)
    } catch {
      // A full disk has no room for a copy; the file is emptied nevertheless.
    }
  }, LOOK_MS)
  look.unref()
  return { stop: () => clearInterval(look) }
}

function rotate(file: string): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= BYTES_MAX) return
  try {
    copyFileSync(file, `${file}.1`) // With the mode of the file.
  } finally {
    truncateSync(file, 0)
  }
}
