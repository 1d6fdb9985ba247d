// Many calls that all use the database of one service. A call waits five seconds at most for a connection to it, which is too short for the
// last of some hundred calls on a slow machine.

/** The results of the work, in the order of `all`; so many are under way at once. */
export async function inBatches<One, Result>(
  all: One[],
  work: (one: One) => Promise<Result>,
  atOnce = 50,
): Promise<Result[]> {
  const results: Result[] = []
  for (let begun = 0; begun < all.length; begun += atOnce)
    results.push(...(await Promise.all(all.slice(begun, begun + atOnce).map(work))))
  return results
}
