// Keys that do something without a control in focus. The screens say what theirs do; `?` shows all of them.
import { useLayoutEffect, useRef } from 'preact/hooks'

export type KeyBinding = { words: string; act: () => void }
export type KeyBindings = Record<string, KeyBinding>

let bound: readonly { bindings: KeyBindings }[] = []

/** What is bound at present, the newest last. */
export function boundKeys(): readonly KeyBindings[] {
  return bound.map(({ bindings }) => bindings)
}

/** Binds keys (`j`, `?`, …) while the component is shown. Of two components that bind a key, the one that was shown later wins. */
export function useKeys(bindings: KeyBindings): void {
  const own = useRef({ bindings })
  own.current.bindings = bindings
  useLayoutEffect(() => {
    const slot = own.current
    bound = [...bound, slot]
    return () => {
      bound = bound.filter((one) => one !== slot)
    }
  }, [])
}

/** Listens to the keyboard until the returned function is called. */
export function followKeys(openPalette: () => void): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      openPalette()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const binding = bound.findLast(({ bindings }) => event.key in bindings)?.bindings[event.key]
    if (binding === undefined || document.querySelector('dialog[open]') !== null) return
    event.preventDefault()
    binding.act()
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))
}
