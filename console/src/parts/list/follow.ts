// Follows the first page of a list: new rows appear on top by themselves, and wait while somebody reads, scrolls or chooses.
import { useEffect, useRef, useState } from 'preact/hooks'
import { firstPage, type Page } from '../../frame/first-page.ts'

export type Follow = {
  isOn: boolean
  toggle(): void
  /** Rows that came while somebody was reading. */
  held: number
  /** Shows them. */
  show(): void
  /** Since when the list could not be read, in milliseconds; null while it can. */
  lostAt: number | null
}
type FollowOptions<Row> = {
  /** The page that is shown; null where there is nothing to follow, as on a later page. */
  page: Page<Row> | null
  idOf(row: Row): string
  load(signal: AbortSignal): { pages(): AsyncIterableIterator<Page<Row>, void> }
  put(page: Page<Row>): void
  /** Rows are chosen, or an object is open. */
  isReading: boolean
}

const AGAIN_MS = 2_000

/** `of`: another list or another filter; following ends with it. */
export function useFollow<Row>(of: string, options: FollowOptions<Row>): Follow {
  const [onFor, setOnFor] = useState<string | null>(null)
  const [waiting, setWaiting] = useState<{ page: Page<Row>; count: number } | null>(null)
  const [lostAt, setLostAt] = useState<number | null>(null)
  const latest = useRef(options)
  latest.current = options
  const isOn = onFor === of && options.page !== null
  useEffect(() => {
    setWaiting(null)
    setLostAt(null)
    if (!isOn) return undefined
    const ended = new AbortController()
    let timer = 0
    const look = async () => {
      try {
        if (document.visibilityState === 'visible') take(await firstPage(latest.current.load(ended.signal)))
        setLostAt(null)
      } catch {
        if (!ended.signal.aborted) setLostAt((before) => before ?? Date.now())
      }
      if (!ended.signal.aborted) timer = window.setTimeout(() => void look(), AGAIN_MS)
    }
    const take = (page: Page<Row>) => {
      const { page: shown, idOf, put, isReading } = latest.current
      if (shown === null || ended.signal.aborted) return
      const known = new Set(shown.data.map((row) => idOf(row)))
      const count = page.data.filter((row) => !known.has(idOf(row))).length
      if (count > 0 && (isReading || isScrolled() || hasSelection())) return setWaiting({ page, count })
      setWaiting(null)
      put(page)
    }
    timer = window.setTimeout(() => void look(), AGAIN_MS)
    return () => {
      ended.abort()
      clearTimeout(timer)
    }
  }, [isOn, of])
  const show = () => {
    if (waiting === null) return
    options.put(waiting.page)
    setWaiting(null)
    window.scrollTo({ top: 0 })
  }
  return { isOn, toggle: () => setOnFor(isOn ? null : of), held: waiting?.count ?? 0, show, lostAt }
}

function isScrolled(): boolean {
  return window.scrollY > 0
}

function hasSelection(): boolean {
  return getSelection()?.isCollapsed === false
}
