// Keys that do something without a control in focus. The screens say what theirs do; `?` shows all of them.
import { useEffect } from 'preact/hooks'

export type KeyBinding = { words: string; act: () => void }
export type KeyBindings = Record<string, KeyBinding>

let bound: readonly KeyBindings[] = []

/** What is bound at present, the newest last. */
export function boundKeys(): readonly KeyBindings[] {
  return bound
}

/** Binds keys (`j`, `?`, …) while the component is shown. Newer bindings of a key win. */
export function useKeys(bindings: KeyBindings): void {
  useEffect(() => {
    bound = [...bound, bindings]
    return () => {
      bound = bound.filter((one) => one !== bindings)
    }
  })
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
    const binding = bound.findLast((bindings) => event.key in bindings)?.[event.key]
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
