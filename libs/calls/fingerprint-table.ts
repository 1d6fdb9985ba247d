// Fixed-size table of fingerprints of recently requested pages: it says whether a page was requested before, in constant memory. A
// client that walks a list requests every page once; caching those pages would evict the pages that are requested again. Another
// page may have the same fingerprint and slot, once in 65,536 times, so the result is a hint and never decides correctness.

const SLOTS = 65_536 // As many pages as a busy gateway sends in half a minute.

/** Returns a function that tells whether a key was requested recently, and records that it is requested now. */
export function openFingerprintTable(): (key: string) => boolean {
  const fingerprints = new Uint32Array(SLOTS)
  return (key) => {
    const fingerprint = fingerprintOf(key)
    const slot = (fingerprint ^ (fingerprint >>> 16)) & (SLOTS - 1)
    const isKnown = fingerprints[slot] === fingerprint
    fingerprints[slot] = fingerprint
    return isKnown
  }
}

// FNV-1a; 0 means an empty slot.
function fingerprintOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash >>> 0 || 1
}
