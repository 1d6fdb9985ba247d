// Owns remembering which objects of a file were handed on already, in bounded memory.
// import-formats.md, section 1, row "Size". Forgetting the longest unused is harmless: an object that is handed on twice
// exists the second time.

const rememberedMax = 50_000

/** Whether the key was not met among the last ones; from now on it was. */
export function isNew(key: string, seen: Set<string>): boolean {
  const known = seen.delete(key)
  seen.add(key)
  const [oldest] = seen
  if (seen.size > rememberedMax && oldest !== undefined) seen.delete(oldest)
  return !known
}
