// A button that opens a panel below it. Escape and a click elsewhere close it; Escape gives the focus back to the button.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

type DropDownProps = {
  label: ComponentChildren
  className?: string
  /** The panel ends at the right edge of the button. */
  isRight?: boolean
  isDisabled?: boolean
  children: (close: () => void) => ComponentChildren
}

export function DropDown({ label, className = '', isRight = false, isDisabled = false, children }: DropDownProps) {
  const [isOpen, setOpen] = useState(false)
  const whole = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    const onClick = ({ target }: MouseEvent) => {
      // What the click has removed from the page was inside.
      if (target instanceof Node && target.isConnected && !whole.current?.contains(target)) setOpen(false)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setOpen(false)
      button.current?.focus()
    }
    document.addEventListener('click', onClick, true)
    document.addEventListener('keydown', onKey, true)
    return () => {
      document.removeEventListener('click', onClick, true)
      document.removeEventListener('keydown', onKey, true)
    }
  }, [isOpen])
  return (
    <div class={`drop-down ${className}`} ref={whole}>
      <button type="button" ref={button} aria-expanded={isOpen} disabled={isDisabled} onClick={() => setOpen(!isOpen)}>
        {label}
      </button>
      {isOpen && <div class={isRight ? 'panel right' : 'panel'}>{children(() => setOpen(false))}</div>}
    </div>
  )
}
