// A function that does its work at the first call only.

/** Returns a function that calls `work` once and returns that result at every call. */
export function once<Result>(work: () => Result): () => Result {
  let done: { result: Result } | null = null
  return () => (done ??= { result: work() }).result
}
