// A window over the page; Escape and a click beside it close it.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type DialogProps = { label: string; className?: string; close: () => void; children: ComponentChildren }

export function Dialog({ label, className = '', close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class={className}
      aria-label={label}
      onClose={close}
      onClick={({ target }) => {
        if (target === dialog.current) dialog.current?.close()
      }}
    >
      <div class="dialog-inside">{children}</div>
    </dialog>
  )
}
