// The head of an object: its name, what can be seen of it in another form, its state and its id.
import type { ComponentChildren } from 'preact'
import { words } from '../../words/en.ts'
import { Id } from '../copy.tsx'
import type { Way } from '../list/ways.ts'
import { SeeHow } from '../see-how.tsx'
import type { Place } from './list-and-object.tsx'

type ObjectHeadProps = {
  name: string
  id: string
  place: Place
  ways: readonly Way[]
  isJson: boolean
  setJson: (isJson: boolean) => void
  /** Its state. */
  children: ComponentChildren
}

export function ObjectHead({ name, id, place, ways, isJson, setJson, children }: ObjectHeadProps) {
  return (
    <header class="object-head">
      <div class="object-name">
        {place.isAlone ? <h1>{name}</h1> : <h2>{name}</h2>}
        <div class="buttons">
          <button type="button" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
            {words.json.button}
          </button>
          <SeeHow ways={ways} />
          {!place.isAlone && <CloseButton close={place.close} />}
        </div>
      </div>
      <p class="object-state">
        {children}
        <Id id={id} />
      </p>
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
