// Owns the rolling restart of everything under k6: one replica after the other, each only when the one before is ready, round
// after round for as long as the load lasts. run.md, "Watching": a client sees no reset and no 5xx.
import type { Replica, Replicas } from './replicas.ts'

export type Restarts = {
  /** How often each service was restarted, and how long a replica was away at most. */
  counts: Map<string, number>
  longestMs: number
  /** Whether every replica had its turn. */
  isWhole(): boolean
}

const SETTLE_MS = 2_000 // The load runs, and then the first one goes.

/** Restarts until the load has ended. */
export async function restartAll(replicas: Replicas, load: Promise<unknown>): Promise<Restarts> {
  const counts = new Map<string, number>()
  const restarted = new Set<Replica>()
  const restarts: Restarts = { counts, longestMs: 0, isWhole: () => restarted.size === replicas.all.length }
  let isOver = false
  void load.finally(() => {
    isOver = true
  })
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  while (!isOver) {
    for (const replica of replicas.all) {
      if (isOver) break
      const began = performance.now()
      const pid = replica.pid()
      replica.signal('SIGTERM')
      await replica.ready(pid)
      restarts.longestMs = Math.max(restarts.longestMs, Math.round(performance.now() - began))
      restarted.add(replica)
      counts.set(replica.service, (counts.get(replica.service) ?? 0) + 1)
    }
  }
  return restarts
}

/** The restarts in words. */
export function restartsInWords({ counts, longestMs }: Restarts): string {
  const sum = [...counts.values()].reduce((total, count) => total + count, 0)
  const each = [...counts].map(([service, count]) => `${service} ${count}`).join(', ')
  return `  restarts      ${sum}: ${each}\n  away          ${longestMs} ms at most, from SIGTERM to ready again\n`
}
