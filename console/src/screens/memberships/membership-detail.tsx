// One membership: who pays what until when, its moves, and what happened to it.
import { useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { useHappened } from '../../parts/object/happened.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { hasAccess, type Membership, priceWords, statusTone } from './membership.ts'
import { MembershipFacts } from './membership-facts.tsx'
import { MembershipMoves } from './membership-moves.tsx'
import { MembershipTimeLine } from './membership-time-line.tsx'
import { type Names, useName } from './names.ts'

type MembershipDetailProps = {
  shop: Shop
  id: string
  names: Names
  mayChange: boolean
  place: Place
  changed: (membership: Membership) => void
}

const text = words.memberships

export function MembershipDetail({ shop, id, names, mayChange, place, changed }: MembershipDetailProps) {
  const membership = useLoad(`membership ${shop.handle} ${id}`, (signal) =>
    api.subscriptions.get(shop.handle, id, { signal }),
  )
  const happened = useHappened(shop.handle, id, api.subscriptions.history)
  const name = useName(membership.data?.clientId ?? null, names.member, text.one)
  const [isJson, setJson] = useState(false)
  const path = `/shops/${shop.handle}/subscriptions/${id}`
  const ways = [asCurl(location.origin, { method: 'GET', path }), asCommand(`subscriptions show ${id}`, shop.handle)]
  const moved = (after: Membership) => {
    membership.put(after)
    changed(after)
    happened.follow()
  }
  return (
    <>
      {place.isAlone && membership.data === null && <h1>{text.one}</h1>}
      <Shown of={membership} rows={8}>
        {(data) => (
          <>
            <ObjectHead name={name} id={id} place={place} ways={ways} isJson={isJson} setJson={setJson}>
              <Status tone={statusTone(data)} word={data.status} />
              <span class="soft">{hasAccess(data, new Date()) ? text.hasAccess : text.noAccess}</span>
              {data.cancelAtPeriodEnd && data.status !== 'canceled' && <span>{text.stopping}</span>}
              <strong class="sum">{priceWords(data)}</strong>
            </ObjectHead>
            <MembershipMoves shop={shop} membership={data} mayChange={mayChange} moved={moved} sent={happened.sent} />
            {isJson ? (
              <JsonView value={data} />
            ) : (
              <>
                <MembershipFacts membership={data} shop={shop} names={names} />
                <MembershipTimeLine shop={shop} happened={happened} />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  )
}
