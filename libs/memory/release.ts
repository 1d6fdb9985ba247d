// Owns giving memory back before the collector comes by. Bytes lie beside the heap and only a collection frees them; on a
// process that carries pages those bytes, long done with, were what made it go through its whole heap several times a second
// (docs/performance.md).

/** Fewer are not worth the call, and often lie in memory that others use as well. */
export const RELEASED_BYTES_MIN = 8_192

/** Frees the bytes now, where they are many and have their memory for themselves. Only their owner may; nobody can read them after. */
export function release(bytes: Uint8Array): void {
  if (bytes.length < RELEASED_BYTES_MIN) return
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0)
}
