// A list with an object beside it on a wide window, or one of the two alone on a narrow one; and the head of the object.
import type { ComponentChildren } from 'preact'
import { address } from '../frame/address.ts'
import { useStore } from '../frame/store.ts'
import { useIsWide } from '../frame/width.ts'
import { words } from '../words/en.ts'

type ObjectBesideProps = {
  /** The address of the list. */
  path: string
  listTitle: string
  /** What the object is, for screen readers. */
  label: string
  list: ComponentChildren
  /** Null shows the list alone. `isAlone`: its name is the heading of the page. */
  object: ((isAlone: boolean) => ComponentChildren) | null
}

export function ObjectBeside({ path, listTitle, label, list, object }: ObjectBesideProps) {
  const isWide = useIsWide()
  const { search } = useStore(address)
  const isBeside = isWide && object !== null
  return (
    <div class={isBeside ? 'screen split' : 'screen'}>
      {(isWide || object === null) && list}
      {object !== null && (
        <section class="object" aria-label={label}>
          {!isBeside && (
            <p class="back">
              <a href={path + search}>
                <span aria-hidden="true">‹</span> {listTitle}
              </a>
            </p>
          )}
          {object(!isBeside)}
        </section>
      )}
    </div>
  )
}

type ObjectHeadProps = {
  name: ComponentChildren
  isAlone: boolean
  close: () => void
  buttons?: ComponentChildren
  /** Below the name: statuses, the id. */
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

/** A fact of the object, in a `dl`. */
export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
