// The head of an open object: its name as the heading, its buttons, and below it its state and its id.
import type { ComponentChildren } from 'preact'
import { words } from '../../words/en.ts'
import { Id } from '../copy.tsx'
import type { Way } from '../list/ways.ts'
import { SeeHow } from '../see-how.tsx'
import type { Place } from './list-and-object.tsx'

type ObjectHeadProps = {
  name: ComponentChildren
  place: Place
  id?: string
  /** The call that shows it, in other forms. */
  ways?: readonly Way[]
  isJson?: boolean
  /** With it there is a button that shows the object as JSON. */
  setJson?: (isJson: boolean) => void
  /** What stands below the name. */
  children?: ComponentChildren
}

export function ObjectHead({ name, id, place, ways, isJson = false, setJson, children }: ObjectHeadProps) {
  return (
    <header class="object-head">
      <div class="object-name">
        {place.isAlone ? <h1>{name}</h1> : <h2>{name}</h2>}
        <div class="buttons">
          {setJson !== undefined && (
            <button type="button" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
              {words.json.button}
            </button>
          )}
          {ways !== undefined && <SeeHow ways={ways} />}
          {!place.isAlone && <CloseButton close={place.close} />}
        </div>
      </div>
      {(children !== undefined || id !== undefined) && (
        <p class="object-state">
          {children}
          {id !== undefined && <Id id={id} />}
        </p>
      )}
    </header>
  )
}

export function CloseButton({ close }: { close: () => void }) {
  return (
    <button type="button" class="close" aria-label={words.close} onClick={close}>
      <span aria-hidden="true">×</span>
    </button>
  )
}
