// The head of an open object: its name as the heading, its buttons, and its state below.
import type { ComponentChildren } from 'preact'
import { words } from '../words/en.ts'

type ObjectHeadProps = {
  name: ComponentChildren
  /** Without the list beside it: its name is the heading of the page. */
  isAlone: boolean
  close: () => void
  buttons?: ComponentChildren
  /** What stands below the name. */
  children?: ComponentChildren
}

export function ObjectHead({ name, isAlone, close, buttons, children }: ObjectHeadProps) {
  return (
    <header class="object-head">
      <div class="object-name">
        {isAlone ? <h1>{name}</h1> : <h2>{name}</h2>}
        <div class="buttons">
          {buttons}
          {!isAlone && (
            <button type="button" class="close" aria-label={words.close} onClick={close}>
              <span aria-hidden="true">×</span>
            </button>
          )}
        </div>
      </div>
      {children !== undefined && <p class="object-state">{children}</p>}
    </header>
  )
}
