// The form of an open object. Whether it is open stands in the address, so that reload and Back work.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { address, go } from '../../frame/address.ts'
import { useStore } from '../../frame/store.ts'
import { words } from '../../words/en.ts'
import { EDIT, withEdit } from '../list/filters.ts'

export type Edit = {
  mayChange: boolean
  isOpen: boolean
  open(): void
  close(): void
  /** Closes the form and says that it was saved. */
  saved(): void
  isSaved: boolean
}

export function useEdit(mayChange: boolean): Edit {
  const { path, search } = useStore(address)
  const [isSaved, setSaved] = useState(false)
  const set = (isOpen: boolean) =>
    go(path + withEdit(search, isOpen), { replace: !isOpen, state: history.state as unknown })
  return {
    mayChange,
    isOpen: mayChange && new URLSearchParams(search).has(EDIT),
    open() {
      setSaved(false)
      set(true)
    },
    close: () => set(false),
    saved() {
      setSaved(true)
      set(false)
    },
    isSaved,
  }
}

type EditButtonProps = {
  edit: Edit
  /** Says why it cannot be pressed. */
  say: (why: string | null) => void
}

/** Opens the form, or closes it; grey with the reason where the role may only read. */
export function EditButton({ edit, say }: EditButtonProps) {
  const reason = edit.mayChange ? null : words.moveReasons.role
  const press = () => {
    say(reason === null ? null : `${words.forms.change}: ${reason}`)
    if (reason !== null) return
    if (edit.isOpen) edit.close()
    else edit.open()
  }
  return (
    <button
      type="button"
      class={edit.isOpen ? 'pressed' : ''}
      aria-disabled={reason !== null}
      aria-expanded={reason === null ? edit.isOpen : undefined}
      title={reason ?? undefined}
      onClick={press}
    >
      {words.forms.change}
    </button>
  )
}

/** The form while it is open, and what became of it afterwards. */
export function EditPanel({ edit, children }: { edit: Edit; children: () => ComponentChildren }) {
  return (
    <>
      {edit.isOpen && <div class="panel-form">{children()}</div>}
      <p class="result" role="status">
        {edit.isSaved && words.forms.changed}
      </p>
    </>
  )
}
