// Owns the filter of events as it is typed: names, families or everything, with commas between. states-and-events.md 1.
import { eventKinds, type EventKind } from '#contracts/objects/webhook-event'
import { type EventFilter, eventFilters } from '#contracts/objects/webhook'
import { misuse } from './arguments.ts'

/** The names behind `--events`, everything where it is absent. Throws a misuse for a name that does not exist. */
export function filtersOf(text = '*'): EventFilter[] {
  return text.split(',').map((name) => {
    const filter = eventFilters.find((known) => known === name.trim())
    if (filter === undefined) throw misuse(`--events: there is no event ${name.trim()}.`)
    return filter
  })
}

/** The kind of that name. Throws a misuse for one that does not exist. */
export function kindOf(name: string): EventKind {
  const kind = eventKinds.find((known) => known === name)
  if (kind === undefined) throw misuse(`There is no event ${name}; there are ${eventKinds.join(', ')}.`)
  return kind
}
