// The kinds of events that an endpoint asks for, by family. A whole family has the kinds of today and those that come later.
import { eventFamilies, eventKinds, type EventName } from '../../parts/events/event-kinds.ts'
import { words } from '../../words/en.ts'

type EventChoiceProps = { chosen: readonly EventName[]; choose: (names: readonly EventName[]) => void }

const text = words.webhooks
/** In the order of the API. */
const names: readonly EventName[] = [...eventFamilies, ...eventKinds]
const families = eventFamilies.map((whole) => {
  const family = familyOf(whole)
  return { family, whole, kinds: eventKinds.filter((kind) => familyOf(kind) === family) }
})

export function EventChoice({ chosen, choose }: EventChoiceProps) {
  const toggle = (name: EventName) =>
    choose(names.filter((known) => (known === name ? !chosen.includes(known) : chosen.includes(known))))
  // The whole family stands for its kinds, which are not named beside it.
  const toggleFamily = (whole: EventName, kinds: readonly EventName[]) =>
    choose(
      names.filter((known) =>
        known === whole ? !chosen.includes(known) : chosen.includes(known) && !kinds.includes(known),
      ),
    )
  return (
    <fieldset>
      <legend>{text.fields.events}</legend>
      <p class="hint">{text.fields.eventsHint}</p>
      <div class="families">
        {families.map(({ family, whole, kinds }) => (
          <fieldset key={family}>
            <legend>{text.families[family]}</legend>
            <label>
              <input type="checkbox" checked={chosen.includes(whole)} onChange={() => toggleFamily(whole, kinds)} />{' '}
              {whole} <span class="soft">{text.wholeFamily}</span>
            </label>
            {kinds.map((kind) => (
              <label key={kind}>
                <input
                  type="checkbox"
                  checked={chosen.includes(whole) || chosen.includes(kind)}
                  disabled={chosen.includes(whole)}
                  onChange={() => toggle(kind)}
                />{' '}
                {kind}
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </fieldset>
  )
}

function familyOf(name: EventName): keyof typeof text.families {
  return name.split('.')[0] as keyof typeof text.families
}
