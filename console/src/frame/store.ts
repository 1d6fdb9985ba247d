// A value that several parts of the page read and that redraws them when it changes.
import { useEffect, useState } from 'preact/hooks'

export type Store<Value> = {
  get(): Value
  set(value: Value): void
  /** Calls `listener` after each change until the returned function is called. */
  subscribe(listener: () => void): () => void
}

export function createStore<Value>(first: Value): Store<Value> {
  let current = first
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** The value of a store, now and after each change. */
export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(() => ({ of: store.get() }))
  useEffect(() => {
    const read = () => setValue((before) => (Object.is(before.of, store.get()) ? before : { of: store.get() }))
    read() // It may have changed between the first drawing and now.
    return store.subscribe(read)
  }, [store])
  return value.of
}
