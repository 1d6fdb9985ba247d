// What a membership says of itself.
import { Fact, lines } from '../../parts/object/facts.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Membership } from './membership.ts'
import { NameOf } from './name-of.tsx'
import type { Names } from './names.ts'

const text = words.memberships

export function MembershipFacts({ membership, shop, names }: { membership: Membership; shop: Shop; names: Names }) {
  const { clientId, productId, billingMode, paymentMethod } = membership
  const at = (instant: string | null) => instant !== null && <When at={instant} zone={shop.timeZone} />
  const modes: Record<string, string> = text.billingModes
  return (
    <div class="facts">
      <dl>
        <Fact label={text.columns.member}>
          {clientId !== null && (
            <LinkTo name="contacts" shop={shop} id={clientId}>
              <NameOf of="member" id={clientId} names={names} />
            </LinkTo>
          )}
        </Fact>
        <Fact label={text.columns.product}>
          {productId !== null && (
            <LinkTo name="products" shop={shop} id={productId}>
              <NameOf of="product" id={productId} names={names} />
            </LinkTo>
          )}
        </Fact>
        <Fact label={text.billing}>{lines([modes[billingMode] ?? billingMode, paymentMethod])}</Fact>
        <Fact label={text.columns.paidUntil}>{at(membership.currentPeriodEnd)}</Fact>
        <Fact label={text.trialEndsAt}>{at(membership.trialEndsAt)}</Fact>
        <Fact label={text.stopAskedAt}>{at(membership.canceledAt)}</Fact>
        <Fact label={text.startedAt}>{at(membership.startedAt)}</Fact>
        <Fact label={text.created}>{at(membership.createdAt)}</Fact>
      </dl>
    </div>
  )
}
