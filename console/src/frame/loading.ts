// Loads what a part of a screen shows. What was loaded before stays when a later load of the same fails, with the time it is from.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export type Loaded<Data> = {
  /** Null until it has come. */
  data: Data | null
  error: unknown
  isLoading: boolean
  /** When `data` came, in milliseconds. */
  at: number | null
  /** Loads it again; resolves when it has come or failed. */
  reload(): Promise<void>
  /** Replaces it by what a call has answered. */
  put(data: Data): void
  /** Changes a part of it; does nothing until it has come. */
  change(by: (data: Data) => Data): void
}
type Known<Data> = { key: string | null; data: Data | null; error: unknown; isLoading: boolean; at: number | null }

/** `key` names what is loaded; another key loads again, null loads nothing. `keeps`: shows the old data until the new has come. */
export function useLoad<Data>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<Data>,
  { keeps = false }: { keeps?: boolean } = {},
): Loaded<Data> {
  const [known, setKnown] = useState<Known<Data>>({ key, data: null, error: null, isLoading: key !== null, at: null })
  const running = useRef<AbortController | null>(null)
  const latest = useRef(load)
  latest.current = load
  const reload = useCallback(async () => {
    running.current?.abort()
    if (key === null) return
    const own = new AbortController()
    running.current = own
    setKnown((before) => {
      const isSame = before.key === key || keeps
      return { ...before, key, isLoading: true, ...(isSame ? {} : { data: null, error: null, at: null }) }
    })
    try {
      const data = await latest.current(own.signal)
      if (!own.signal.aborted) setKnown({ key, data, error: null, isLoading: false, at: Date.now() })
    } catch (error) {
      if (!own.signal.aborted) setKnown((before) => ({ ...before, error, isLoading: false }))
    }
  }, [key, keeps])
  useEffect(() => {
    void reload()
    return () => running.current?.abort()
  }, [reload])
  const put = useCallback((data: Data) => setKnown((before) => ({ ...before, data, error: null, at: Date.now() })), [])
  const change = useCallback((by: (data: Data) => Data) => {
    setKnown((before) => (before.data === null ? before : { ...before, data: by(before.data) }))
  }, [])
  const isOld = known.key !== key && !keeps
  return isOld
    ? { data: null, error: null, isLoading: key !== null, at: null, reload, put, change }
    : { data: known.data, error: known.error, isLoading: known.isLoading, at: known.at, reload, put, change }
}
