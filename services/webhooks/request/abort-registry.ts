// Owns the cutting off of attempts under way in this process: to one endpoint, because it was deleted, or to all, because the
// process ends.

export type Cuts = {
  /** Runs the work with a signal that says when to break off. */
  with<Result>(endpointId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>
  cut(endpointId: string): void
  cutAll(): void
}

export function openCuts(): Cuts {
  const open = new Set<{ endpointId: string; end: AbortController }>()
  return {
    async with(endpointId, work) {
      const one = { endpointId, end: new AbortController() }
      open.add(one)
      try {
        return await work(one.end.signal)
      } finally {
        open.delete(one)
      }
    },
    cut(endpointId) {
      for (const one of open) if (one.endpointId === endpointId) one.end.abort()
    },
    cutAll() {
      for (const one of open) one.end.abort()
    },
  }
}
