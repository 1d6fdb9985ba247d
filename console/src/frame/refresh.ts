// Loads again what a screen shows, while somebody looks at it.
import { useEffect, useRef } from 'preact/hooks'

// A session ends after an hour without a call (docs/spec/operators-and-roles.md#sessions); a page that nobody uses must not keep it.
const UNUSED_MS = 1_800_000
const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/** Calls `act` every `everyMs` while the page is visible and in use, and at once when it is so again after a longer time. */
export function useRefresh(act: () => void, everyMs: number): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    let usedAt = Date.now()
    let doneAt = usedAt
    const refresh = () => {
      const now = Date.now()
      if (document.visibilityState !== 'visible' || now - usedAt > UNUSED_MS || now - doneAt < everyMs) return
      doneAt = now
      latest.current()
    }
    const use = () => {
      const wasUnused = Date.now() - usedAt > UNUSED_MS
      usedAt = Date.now()
      if (wasUnused) refresh()
    }
    const timer = setInterval(refresh, everyMs)
    document.addEventListener('visibilitychange', refresh)
    for (const sign of signs) addEventListener(sign, use, { passive: true })
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
      for (const sign of signs) removeEventListener(sign, use)
    }
  }, [everyMs])
}
