// Owns giving memory back before the collector comes by. Bytes lie beside the heap and only a collection frees them; on a
// process that carries pages those bytes, long done with, were what made it go through its whole heap several times a second
// (docs/performance.md).

/** Frees the bytes now, where they have their memory for themselves. Only their owner may, and nobody can read them after. */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0)
}
