// Many calls that all use the database of one service. A call waits five seconds at most for a connection to it, which is too short for the
// last of some hundred calls on a slow machine.

const AT_ONCE = 50

/** The results of the work, in the order of `all`; fifty are under way at once. */
export async function inBatches<One, Result>(all: One[], work: (one: One) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (let begun = 0; begun < all.length; begun += AT_ONCE)
    results.push(...(await Promise.all(all.slice(begun, begun + AT_ONCE).map(work))))
  return results
}
