// Owns remembering which objects of a file were handed on already, so that each is handed on and counted once.
// import-formats.md, section 1, "Dry run and report". A file has at most as many keys as records: some 15 MB.

/** Whether the key was not met before; from now on it was. */
export function isNew(key: string, seen: Set<string>): boolean {
  const known = seen.has(key)
  seen.add(key)
  return !known
}
