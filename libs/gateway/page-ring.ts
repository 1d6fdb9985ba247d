// Owns the memory of the pages that a gateway keeps: one piece, taken once, written round and round, so that the longest kept go
// first. Pages each in memory of their own would stay beside the heap after they were dropped until a collection comes: with
// 16 MB kept and always others asked for, a gateway was 38 MB larger than without.
// What is read is a copy, which belongs to the reader; one of 40 KB takes 2 microseconds.

/** `currentAt`: when its version was last seen to be current. */
export type KeptPage = { version: number; currentAt: number }
type Place = KeptPage & { start: number; length: number }
export type PageRing = {
  /** What is known of the page of this key; null where none is kept. */
  find(key: string): KeptPage | null
  /** A copy of its bytes. Throws where none is kept. */
  read(key: string): Buffer
  /**
   * Keeps a copy of these bytes, where they are not too many, in place of another version that was kept for the key. The same
   * version stays where it is: calls that came together each bring it, and each place taken anew would cost another page its own.
   */
  keep(key: string, page: KeptPage, body: Buffer): void
  drop(key: string): void
}

const BESIDE_BYTES = 200 // What a page takes besides its key and its bytes, about: small pages are bounded by it.
const SHARE_MAX = 16 // No page takes more than this part of all.

/** Room for `bytesMax` of pages with all that belongs to them. */
export function openPageRing(bytesMax: number): PageRing {
  const memory = Buffer.allocUnsafeSlow(bytesMax)
  const places = new Map<string, Place>() // In the order in which they lie in memory, from `next` on and round.
  let next = 0

  // The places that begin in the given part of the memory, which is the next to be written, are the first of all.
  function free(from: number, to: number): void {
    for (const [key, { start }] of places) {
      if (start < from || start >= to) return
      places.delete(key)
    }
  }

  return {
    find: (key) => places.get(key) ?? null,
    read(key) {
      const place = places.get(key)
      if (place === undefined) throw new Error('No page is kept for this key.')
      const copy = Buffer.allocUnsafeSlow(place.length)
      memory.copy(copy, 0, place.start, place.start + place.length)
      return copy
    },
    keep(key, page, body) {
      const taken = body.length + key.length + BESIDE_BYTES
      if (places.get(key)?.version === page.version) return
      places.delete(key)
      if (taken > bytesMax / SHARE_MAX) return
      if (next + taken > bytesMax) {
        free(next, bytesMax)
        next = 0
      }
      free(next, next + taken)
      body.copy(memory, next)
      places.set(key, { ...page, start: next, length: body.length })
      next += taken
    },
    drop: (key) => void places.delete(key),
  }
}
