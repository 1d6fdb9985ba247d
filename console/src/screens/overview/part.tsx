// A part of the overview, and since when the whole stands. A part that is loaded again and again keeps its place: it shows neither
// placeholders nor another refusal each time.
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Loaded } from '../../frame/loading.ts'
import { Problem, Waiting } from '../../parts/state.tsx'
import { clockOf } from '../../parts/time.ts'
import { words } from '../../words/en.ts'

type PartProps<Data> = { of: Loaded<Data>; rows: number; children: (data: Data) => ComponentChildren }

export function Part<Data>({ of, rows, children }: PartProps<Data>) {
  const first = useRef<unknown>(null)
  if (of.data !== null || of.error === null) first.current = null
  else first.current ??= of.error
  if (of.data !== null) return <>{children(of.data)}</>
  if (first.current !== null) return <Problem error={first.current} retry={() => void of.reload()} />
  return <Waiting rows={rows} />
}

/** The time of what is shown: of the oldest part, where the newest load of it has failed. */
export function AsOf({ of }: { of: readonly Loaded<unknown>[] }) {
  const stale = of.filter(({ data, error }) => data !== null && error !== null)
  const times = (stale.length > 0 ? stale : of).map(({ at }) => at).filter((at) => at !== null)
  if (times.length === 0) return null
  if (stale.length === 0) return <p class="soft as-of">{words.overview.asOf(clockOf(Math.max(...times)))}</p>
  const retry = () => {
    for (const one of stale) void one.reload()
  }
  return (
    <p class="stale as-of" role="status">
      {words.state.staleSince(clockOf(Math.min(...times)))}{' '}
      <button type="button" class="link" onClick={retry}>
        {words.problem.retry}
      </button>
    </p>
  )
}
