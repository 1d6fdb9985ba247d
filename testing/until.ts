// Waits for a condition, for tests that must not sleep a fixed time.

const pauseMs = { least: 5, most: 100 }

/**
 * Polls the condition and resolves with its first result that is neither false, null nor undefined; fails after half a minute. One
 * that costs something (a query, a request, a list of processes) is asked more seldom the longer it takes.
 */
export async function until<Value>(condition: () => Promise<Value> | Value): Promise<NonNullable<Value>> {
  const begun = performance.now()
  for (;;) {
    const asked = performance.now()
    const value = await condition()
    if (value !== false && value !== null && value !== undefined) return value
    const now = performance.now()
    if (now - begun > 30_000) throw new Error('The condition did not become true within half a minute.')
    const isCheap = now - asked < 1
    const pause = isCheap ? pauseMs.least : Math.max(pauseMs.least, 3 * (now - asked), (now - begun) / 10)
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, pauseMs.most)))
  }
}
