// Keeps what is being read: while somebody points into an element, has the focus or selects there, a new value waits.
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type Held<Value> = {
  shown: Value
  /** A newer value waits. */
  isOld: boolean
  show(): void
}

/**
 * `same` tells whether two values read the same. The newest value is shown as soon as nobody reads, and at once while the one that is
 * shown is not whole, as when its parts still come.
 */
export function useHeld<Value>(
  value: Value,
  isWhole: boolean,
  same: (one: Value, other: Value) => boolean,
  element: RefObject<HTMLElement | null>,
): Held<Value> {
  const [shown, setShown] = useState({ value, isWhole })
  const isOther = !same(shown.value, value)
  const isHeld = isOther && shown.isWhole && isBeingRead(element.current)
  const show = () => setShown({ value, isWhole })
  useEffect(() => {
    if (!isHeld) return undefined
    const release = () => {
      if (!isBeingRead(element.current)) show()
    }
    const signs = ['pointermove', 'focusin', 'selectionchange'] as const
    for (const sign of signs) document.addEventListener(sign, release)
    return () => {
      for (const sign of signs) document.removeEventListener(sign, release)
    }
  }, [isHeld, value])
  useEffect(() => {
    if (!isHeld && (isOther || shown.isWhole !== isWhole)) show()
  }, [isOther, isHeld, isWhole, value])
  return { shown: isHeld ? shown.value : value, isOld: isHeld, show }
}

function isBeingRead(element: HTMLElement | null): boolean {
  if (element === null) return false
  const selection = getSelection()
  const isSelected = selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode)
  return isSelected || element.matches(':hover') || element.contains(document.activeElement)
}
