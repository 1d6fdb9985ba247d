// The time line of a membership: what was done to it and by whom, with its events and their deliveries.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { HappenedLine } from '../../parts/object/happened-line.tsx'
import type { HappenedTo } from '../../parts/object/happened.ts'
import type { Moment } from '../../parts/time-line.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

export type MembershipMove = BackOfficeSchemas['SubscriptionMove']

export function MembershipTimeLine({ shop, happened }: { shop: Shop; happened: HappenedTo<MembershipMove> }) {
  return <HappenedLine shop={shop} happened={happened} momentOfMove={momentOfMove} />
}

function momentOfMove({ number, at, move, who, fromStatus, toStatus }: MembershipMove): Moment {
  const named: Record<string, string> = words.memberships.moved
  return {
    key: `move ${number}`,
    at,
    tone: 'ok',
    title: (
      <>
        <strong>{named[move] ?? move}</strong>{' '}
        <span class="soft">
          {fromStatus !== toStatus && `→ ${toStatus} `}
          {words.timeLine.by(who)}
        </span>
      </>
    ),
  }
}
