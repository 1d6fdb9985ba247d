// Registry of the attempts under way in this process, so that they can be aborted: those to an endpoint that is deleted, or
// all of them when the process stops.

export type AbortRegistry = {
  /** Runs the work with a signal that aborts it. */
  run<Result>(endpointId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>
  abort(endpointId: string): void
  abortAll(): void
}

export function openAbortRegistry(): AbortRegistry {
  const entries = new Set<{ endpointId: string; controller: AbortController }>()
  return {
    async run(endpointId, work) {
      const entry = { endpointId, controller: new AbortController() }
      entries.add(entry)
      try {
        return await work(entry.controller.signal)
      } finally {
        entries.delete(entry)
      }
    },
    abort(endpointId) {
      for (const entry of entries) if (entry.endpointId === endpointId) entry.controller.abort()
    },
    abortAll() {
      for (const { controller } of entries) controller.abort()
    },
  }
}
