// Texts by key, for as many keys as a file may have (docs/spec/imports.md#size).
//
// A hash table with open addressing: of each key a digest of 128 bits and the place of its value in a second file. Where the table gets
// full, it is copied into one of twice the size.
import { hash } from 'node:crypto'
import { openTempFile, type TempFile } from './temp-file.ts'

export type KeyMap = {
  get(key: string): string | undefined
  set(key: string, value: string): void
  /** Adds the key; false when it was there already. */
  add(key: string): boolean
  close(): void
}

const DIGEST_BYTES = 16
const SLOT_BYTES = DIGEST_BYTES + 8
const SLOTS_READ = 16
const SLOTS_FIRST = 2 ** 12
const SLOTS_COPIED = 2 ** 12
const LOAD_MAX = 0.5
const TABLE_HELD_BYTES = 2 ** 18 * SLOT_BYTES // That of 131,000 keys.
const VALUES_HELD_BYTES = 1024 * 1024
const NONE = 0 // The place of an empty slot.
const EMPTY = 1 // The place of the empty text.
const FIRST = 2

/** `heldBytes` is smaller in tests only. */
export function openKeyMap(heldBytes: number = TABLE_HELD_BYTES): KeyMap {
  const values = openTempFile(Math.min(heldBytes, VALUES_HELD_BYTES))
  let table = openTempFile(heldBytes)
  let slots = SLOTS_FIRST
  let count = 0
  let end = FIRST

  function grow(): void {
    const [old, oldSlots] = [table, slots]
    table = openTempFile(heldBytes)
    slots *= 2
    for (let from = 0; from < oldSlots; from += SLOTS_COPIED) {
      const bytes = old.read(from * SLOT_BYTES, SLOTS_COPIED * SLOT_BYTES)
      for (let at = 0; at < bytes.length; at += SLOT_BYTES) {
        const place = bytes.readDoubleLE(at + DIGEST_BYTES)
        if (place === NONE) continue
        const digest = bytes.subarray(at, at + DIGEST_BYTES)
        writeSlot(table, find(table, slots, digest).slot, digest, place)
      }
    }
    old.close()
  }

  function placeValue(value: string): number {
    if (value === '') return EMPTY
    const text = Buffer.from(value)
    const bytes = Buffer.alloc(4 + text.length)
    bytes.writeUInt32LE(text.length)
    text.copy(bytes, 4)
    values.write(end, bytes)
    end += bytes.length
    return end - bytes.length
  }

  function put(digest: Buffer, { slot, place }: { slot: number; place: number }, value: string): void {
    writeSlot(table, slot, digest, placeValue(value))
    if (place !== NONE) return
    count += 1
    if (count >= slots * LOAD_MAX) grow()
  }

  return {
    get(key) {
      const { place } = find(table, slots, digestOf(key))
      if (place === NONE) return undefined
      return place === EMPTY ? '' : values.read(place + 4, values.read(place, 4).readUInt32LE()).toString()
    },
    set(key, value) {
      const digest = digestOf(key)
      put(digest, find(table, slots, digest), value)
    },
    add(key) {
      const digest = digestOf(key)
      const found = find(table, slots, digest)
      if (found.place === NONE) put(digest, found, '')
      return found.place === NONE
    },
    close() {
      values.close()
      table.close()
    },
  }
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, DIGEST_BYTES)
}

/** The slot of the digest with the place of its value, or the free slot for it with the place `NONE`. */
function find(table: TempFile, slots: number, digest: Buffer): { slot: number; place: number } {
  for (let from = digest.readUIntLE(0, 6) % slots; ; from = (from + SLOTS_READ) % slots) {
    const count = Math.min(SLOTS_READ, slots - from)
    const bytes = table.read(from * SLOT_BYTES, count * SLOT_BYTES)
    for (let index = 0; index < count; index += 1) {
      const at = index * SLOT_BYTES
      const place = bytes.readDoubleLE(at + DIGEST_BYTES)
      const isOwn = place !== NONE && digest.equals(bytes.subarray(at, at + DIGEST_BYTES))
      if (place === NONE || isOwn) return { slot: from + index, place }
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
