// The four states of what is loaded: loading, empty, refused or failed, and there. What failed says why, the id of the request, and
// what to do next.
import type { ComponentChildren } from 'preact'
import { problemOf } from '../frame/errors.ts'
import type { Loaded } from '../frame/loading.ts'
import { words } from '../words/en.ts'
import { Copy } from './copy.tsx'
import { clockOf } from './time.ts'

/** Nothing for 200 ms, then bars of the size of what comes. */
export function Waiting({ rows = 6 }: { rows?: number }) {
  return (
    <div class="waiting" role="status" aria-label={words.state.loading}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}

export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { kind, title, why, requestId } = problemOf(error)
  return (
    <div class={`problem ${kind}`} role="alert">
      <p>
        <strong>{title}</strong> {why}
      </p>
      <RequestId id={requestId} />
      {retry !== undefined && kind === 'failed' && (
        <button type="button" onClick={retry}>
          {words.problem.retry}
        </button>
      )}
    </div>
  )
}

/** The id that names the call in the logs; nothing where there is none. */
export function RequestId({ id }: { id: string | null }) {
  if (id === null) return null
  return (
    <p class="request-id">
      {words.problem.requestId} <code>{id}</code> <Copy text={id} />
    </p>
  )
}

/** One sentence and one action. */
export function Empty({ sentence, children }: { sentence: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{sentence}</p>
      {children}
    </div>
  )
}

type ShownProps<Data> = {
  of: Loaded<Data>
  /** Rows of the placeholder. */
  rows?: number
  children: (data: Data) => ComponentChildren
}

/** Shows what is loaded; what is there stays when a later load fails, and says since when it is old. */
export function Shown<Data>({ of, rows = 6, children }: ShownProps<Data>) {
  const { data, error, isLoading, at, reload } = of
  if (data === null) {
    if (error !== null && !isLoading) return <Problem error={error} retry={() => void reload()} />
    return <Waiting rows={rows} />
  }
  return (
    <>
      {error !== null && at !== null && (
        <div class="stale" role="status">
          {words.state.staleSince(clockOf(at))}{' '}
          <button type="button" class="link" onClick={() => void reload()}>
            {words.problem.retry}
          </button>
        </div>
      )}
      {children(data)}
    </>
  )
}
