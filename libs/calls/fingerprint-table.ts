// Owns remembering what was asked for once, in memory that never grows: each key has one place of many, where the last key that
// came there left its mark. A walk asks for every page once; an object for each of its pages would be most of what the
// collector has to carry along. A key may meet its own mark though another left it, once in 65,536 times: what is decided by this
// must be right either way.

const PLACES = 65_536 // As many pages as a busy gateway sends in half a minute.

/** Says whether the key was asked for before, of late, and remembers that it was now. */
export function openAskedBefore(): (key: string) => boolean {
  const marks = new Uint32Array(PLACES)
  return (key) => {
    const mark = markOf(key)
    const place = (mark ^ (mark >>> 16)) & (PLACES - 1)
    const wasAsked = marks[place] === mark
    marks[place] = mark
    return wasAsked
  }
}

// FNV-1a; 0 stands for an empty place.
function markOf(key: string): number {
  let mark = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) mark = Math.imul(mark ^ key.charCodeAt(index), 0x01000193)
  return mark >>> 0 || 1
}
