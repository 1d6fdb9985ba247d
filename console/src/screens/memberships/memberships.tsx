// Memberships: the list, and one membership beside it on a wide window or alone on a narrow one.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { useMayChange } from '../../frame/role.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { MembershipDetail } from './membership-detail.tsx'
import type { Membership } from './membership.ts'
import { membershipsList, NEW } from './memberships-list.tsx'
import { namesOf } from './names.ts'
import { NewMembership } from './new-membership.tsx'

export function Memberships({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [changed, setChanged] = useState<Membership | null>(null)
  const names = useMemo(() => namesOf(shop.handle), [shop])
  const [version, setVersion] = useState(0)
  const created = useCallback(() => setVersion((before) => before + 1), [])
  const config = useMemo(() => membershipsList(shop, { mayChange, names }), [shop, mayChange, names])
  return (
    <ListAndObject config={config} id={id} one={words.memberships.one} changed={changed} version={version}>
      {(open, place) =>
        open === NEW ? (
          <NewMembership shop={shop} mayChange={mayChange} place={place} created={created} />
        ) : (
          <MembershipDetail
            key={open}
            shop={shop}
            id={open}
            names={names}
            mayChange={mayChange}
            place={place}
            changed={setChanged}
          />
        )
      }
    </ListAndObject>
  )
}
