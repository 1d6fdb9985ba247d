// Texts by key, for as many keys as a file may have: the latest in memory, the others in a temporary file
// (docs/spec/imports.md#size).
//
// The file is a hash table with open addressing: of each key a digest of 128 bits and the place of its value in a second file. Where the
// table gets full, it is copied into one of twice the size.
import { hash } from 'node:crypto'
import { openTempFile, type TempFile } from './temp-file.ts'

export type KeyMap = {
  get(key: string): string | undefined
  set(key: string, value: string): void
  /** Adds the key; false when it was there already. */
  add(key: string): boolean
  close(): void
}

const HELD_MAX = 50_000 // Some 8 MB.
const DIGEST_BYTES = 16
const SLOT_BYTES = DIGEST_BYTES + 8
const SLOTS_READ = 16
const SLOTS_FIRST = 2 ** 18
const LOAD_MAX = 0.5

/** `heldMax` is smaller in tests only. */
export function openKeyMap(heldMax: number = HELD_MAX): KeyMap {
  const held = new Map<string, string>()
  const stored = openStoredMap()
  const get = (key: string) => held.get(key) ?? stored.get(key)
  const set = (key: string, value: string) => {
    held.set(key, value)
    if (held.size < heldMax) return
    for (const [one, text] of held) stored.set(one, text)
    held.clear()
  }
  return {
    get,
    set,
    add(key) {
      if (get(key) !== undefined) return false
      set(key, '')
      return true
    },
    close: stored.close,
  }
}

function openStoredMap() {
  const values = openTempFile()
  let table = openTempFile()
  let slots = SLOTS_FIRST
  let count = 0
  let end = 1 // The place 0 is that of an empty slot.

  function grow(): void {
    const [old, oldSlots] = [table, slots]
    table = openTempFile()
    slots *= 2
    for (let from = 0; from < oldSlots; from += 4_096) {
      const bytes = old.read(from * SLOT_BYTES, 4_096 * SLOT_BYTES)
      for (let at = 0; at < bytes.length; at += SLOT_BYTES) {
        const place = bytes.readDoubleLE(at + DIGEST_BYTES)
        if (place === 0) continue
        const digest = bytes.subarray(at, at + DIGEST_BYTES)
        writeSlot(table, find(table, slots, digest).slot, digest, place)
      }
    }
    old.close()
  }

  return {
    get(key: string): string | undefined {
      if (count === 0) return undefined
      const { place } = find(table, slots, digestOf(key))
      if (place === 0) return undefined
      const length = values.read(place, 4).readUInt32LE()
      return length === 0 ? '' : values.read(place + 4, length).toString()
    },
    set(key: string, value: string): void {
      if (count >= slots * LOAD_MAX) grow()
      const digest = digestOf(key)
      const { slot, place } = find(table, slots, digest)
      if (place === 0) count += 1
      const text = Buffer.from(value)
      const bytes = Buffer.alloc(4 + text.length)
      bytes.writeUInt32LE(text.length)
      text.copy(bytes, 4)
      values.write(end, bytes)
      writeSlot(table, slot, digest, end)
      end += bytes.length
    },
    close(): void {
      values.close()
      table.close()
    },
  }
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, DIGEST_BYTES)
}

/** The slot of the digest with the place of its value, or the free slot for it with the place 0. */
function find(table: TempFile, slots: number, digest: Buffer): { slot: number; place: number } {
  for (let from = digest.readUIntLE(0, 6) % slots; ; from = (from + SLOTS_READ) % slots) {
    const count = Math.min(SLOTS_READ, slots - from)
    const bytes = table.read(from * SLOT_BYTES, count * SLOT_BYTES)
    for (let index = 0; index < count; index += 1) {
      const at = index * SLOT_BYTES
      const place = bytes.readDoubleLE(at + DIGEST_BYTES)
      const isOwn = place !== 0 && digest.equals(bytes.subarray(at, at + DIGEST_BYTES))
      if (place === 0 || isOwn) return { slot: from + index, place }
    }
    if (count < SLOTS_READ) from = slots - SLOTS_READ // Goes on at the first slot.
  }
}

function writeSlot(table: TempFile, slot: number, digest: Uint8Array, place: number): void {
  const bytes = Buffer.alloc(SLOT_BYTES)
  bytes.set(digest)
  bytes.writeDoubleLE(place, DIGEST_BYTES)
  table.write(slot * SLOT_BYTES, bytes)
}
