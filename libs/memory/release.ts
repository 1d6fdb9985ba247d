// Owns giving memory back before the collector comes by. Bytes lie beside the heap and only a collection frees them; on a
// process that carries pages those bytes, long done with, were what made it go through its whole heap several times a second
// (docs/performance.md).

/** Fewer are not worth the call, and often lie in memory that others use as well. */
export const RELEASED_BYTES_MIN = 8_192

/** Bytes that their owner gives to several readers at once. Each releases them, and the last one frees them once `end` was called. */
export type Loan = { take(): Buffer; end(): void }

const returned = new WeakMap<Uint8Array, () => void>()

/** Lends these bytes. A reader that never releases them leaves them to the collector. */
export function lend(bytes: Buffer): Loan {
  let readers = 0
  let hasEnded = false
  const freeIfDone = () => {
    if (hasEnded && readers === 0) free(bytes)
  }
  returned.set(bytes, () => {
    readers -= 1
    freeIfDone()
  })
  return {
    take() {
      readers += 1
      return bytes
    },
    end() {
      hasEnded = true
      freeIfDone()
    },
  }
}

/** Frees the bytes now, where they are many and have their memory for themselves. Only their owner may; nobody can read them after. What is lent is given back instead. */
export function release(bytes: Uint8Array): void {
  const giveBack = returned.get(bytes)
  if (giveBack === undefined) free(bytes)
  else giveBack()
}

function free(bytes: Uint8Array): void {
  if (bytes.length < RELEASED_BYTES_MIN) return
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0)
}
