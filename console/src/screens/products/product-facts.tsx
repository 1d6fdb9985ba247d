// What a product is.
import { moneyWords } from '../../parts/money.ts'
import { Fact, lines } from '../../parts/object/facts.tsx'
import { shopTime } from '../../parts/time.ts'
import { When } from '../../parts/when.tsx'
import { words } from '../../words/en.ts'
import { type Product, stockWords } from './product.ts'

const text = words.products

export function ProductFacts({ product, zone }: { product: Product; zone: string }) {
  const { booking, event, membership } = product
  return (
    <div class="facts">
      {product.description !== null && <p>{product.description}</p>}
      <dl>
        <Fact label={text.columns.kind}>{product.kind}</Fact>
        <Fact label={text.columns.stock}>{stockWords(product.stock)}</Fact>
        <Fact label={text.compareAt}>{product.compareAt !== null && moneyWords(product.compareAt)}</Fact>
        <Fact label={text.tags}>{product.tags.join(', ')}</Fact>
        <Fact label={text.slug}>
          <code>{product.slug}</code>
        </Fact>
        <Fact label={text.featured}>{product.isFeatured && text.yes}</Fact>
        {booking !== null && (
          <Fact label={text.booking}>
            {lines([
              booking.durationMinutes === null ? null : text.minutes(booking.durationMinutes),
              booking.serviceMode,
              booking.leadHours === null ? null : text.leadHours(booking.leadHours),
            ])}
          </Fact>
        )}
        {typeof event?.startsAt === 'string' && (
          <Fact label={text.startsAt}>
            <time dateTime={event.startsAt} title={event.startsAt}>
              {shopTime(event.startsAt, zone, new Date())}
            </time>
          </Fact>
        )}
        {membership !== null && (
          <Fact label={text.membership}>
            {lines([
              membership.interval === null ? null : text.each(membership.interval),
              membership.trialDays === null ? null : text.trial(membership.trialDays),
            ])}
          </Fact>
        )}
        <Fact label={text.columns.added}>
          {product.createdAt !== null && <When at={product.createdAt} zone={zone} />}
        </Fact>
        <Fact label={text.changed}>{product.updatedAt !== null && <When at={product.updatedAt} zone={zone} />}</Fact>
      </dl>
    </div>
  )
}
