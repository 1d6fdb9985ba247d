// Events: everything that fired in the shop, and one event with its body and its deliveries.
import { useMemo } from 'preact/hooks'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { EventDetail } from './event-detail.tsx'
import { eventsList } from './events-list.tsx'

export function Events({ shop, id }: ScreenProps) {
  const config = useMemo(() => eventsList(shop), [shop])
  return (
    <ListAndObject config={config} id={id} one={words.events.one}>
      {(open, place) => <EventDetail key={open} id={open} place={place} shop={shop} />}
    </ListAndObject>
  )
}
