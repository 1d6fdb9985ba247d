// Asks a service for the versions of its lists. Calls that wait at the same time share one question, so that under load one hop serves
// many requests.
import type { ActionName } from '#contracts/actions'
import { limits } from '#contracts/limits'
import type { Call } from '#runtime/service'

export type VersionsAction = Extract<ActionName, `${string}.versions`>
type Waiter = { resolve(version: number): void; reject(error: unknown): void }

// The pause between two questions: the root of how many further requests the last question served, times this. A single request
// does not wait.
const PAUSE_MS_PER_ROOT = 1.1
const PAUSE_MS_MAX = 6
const NEXT_MS = 20 // A question without an answer delays the next one no longer than this.
const TIMEOUT_MS = 1_000 // After it the page itself is read, with the time of a whole call.

/** Returns a function from a shop to the present version of its list; it rejects when the service does not answer in time. */
export function versionClient(call: Call, action: VersionsAction): (shopId: string) => Promise<number> {
  let waiting = new Map<string, Waiter[]>()
  let isScheduled = false
  let sentAt = Number.NEGATIVE_INFINITY
  let pauseMs = 0

  function send(): void {
    const asked = [...waiting].slice(0, limits.versionsAtOnce)
    waiting = new Map([...waiting].slice(limits.versionsAtOnce))
    sentAt = performance.now()
    const requests = asked.reduce((sum, [, waiters]) => sum + waiters.length, 0)
    pauseMs = Math.min(Math.sqrt(requests - 1) * PAUSE_MS_PER_ROOT, PAUSE_MS_MAX)
    let hasContinued = false
    const proceed = () => {
      if (!hasContinued) schedule()
      hasContinued = true
    }
    const nextTimer = setTimeout(proceed, NEXT_MS)
    call(action, { shop_ids: asked.map(([shopId]) => shopId) }, { timeoutMs: TIMEOUT_MS })
      .then(
        (answer) => {
          const { versions } = answer as { versions: number[] }
          for (const [index, [, waiters]] of asked.entries()) {
            for (const { resolve } of waiters) resolve(versions[index] ?? Number.NaN) // NaN equals no version.
          }
        },
        (error: unknown) => {
          for (const [, waiters] of asked) for (const { reject } of waiters) reject(error)
        },
      )
      .finally(() => {
        clearTimeout(nextTimer)
        proceed()
      })
  }

  function schedule(): void {
    isScheduled = waiting.size > 0
    if (!isScheduled) return
    const waitMs = sentAt + pauseMs - performance.now()
    if (waitMs > 0) setTimeout(send, waitMs)
    else setImmediate(send)
  }

  return (shopId) =>
    new Promise((resolve, reject) => {
      const waiters = waiting.get(shopId)
      if (waiters !== undefined) waiters.push({ resolve, reject })
      else waiting.set(shopId, [{ resolve, reject }])
      if (!isScheduled) schedule()
    })
}
