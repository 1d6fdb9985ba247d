// Waits for a condition, for tests that must not sleep a fixed time.

/** Polls the condition and resolves with its first result that is neither false, null nor undefined; fails after half a minute. */
export async function until<Value>(condition: () => Promise<Value> | Value): Promise<NonNullable<Value>> {
  const end = Date.now() + 30_000
  for (;;) {
    const value = await condition()
    if (value !== false && value !== null && value !== undefined) return value
    if (Date.now() > end) throw new Error('The condition did not become true within half a minute.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
