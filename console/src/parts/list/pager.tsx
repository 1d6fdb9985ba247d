// "Newer" and "older", and how far one is in time. The API has a cursor for what is older; the way back is kept with the address.
import { go } from '../../frame/address.ts'
import { words } from '../../words/en.ts'
import { shopTime } from '../time.ts'
import { searchOf } from './filters.ts'

type PagerProps = {
  values: ReadonlyMap<string, string>
  cursor: string | null
  next: string | null
  /** The instants of the rows. */
  times: readonly string[]
  zone: string
}
/** The cursors of the pages before this one; the first page has none. */
type Trail = { trail?: readonly (string | null)[] }

export function Pager({ values, cursor, next, times, zone }: PagerProps) {
  const { trail = [] } = (history.state ?? {}) as Trail
  const show = (target: string | null, before: readonly (string | null)[]) =>
    go(location.pathname + searchOf(values, target), { state: { trail: before } })
  const now = new Date()
  const [newest, oldest] = [times[0], times.at(-1)]
  return (
    <nav class="pager" aria-label={words.list.pages}>
      {cursor !== null && (
        <button type="button" onClick={() => show(null, [])}>
          {words.list.newest}
        </button>
      )}
      {trail.length > 0 && (
        <button type="button" onClick={() => show(trail.at(-1) ?? null, trail.slice(0, -1))}>
          {words.list.newer}
        </button>
      )}
      {newest !== undefined && oldest !== undefined && (
        <span class="soft">
          {shopTime(oldest, zone, now)} – {shopTime(newest, zone, now)}
        </span>
      )}
      {next !== null && (
        <button type="button" onClick={() => show(next, [...trail, cursor])}>
          {words.list.older}
        </button>
      )}
    </nav>
  )
}
