// What was bought, at which sums, by whom, and where it goes.
import { moneyWords } from '../../parts/money.ts'
import { addressLines, Fact, lines } from '../../parts/object/facts.tsx'
import { shopTime } from '../../parts/time.ts'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Order } from './order.ts'

const text = words.orders

export function OrderFacts({ order, shop }: { order: Order; shop: Shop }) {
  return (
    <div class="facts">
      <Lines order={order} />
      <dl>
        <Fact label={text.placed}>
          {order.createdAt !== null && <When at={order.createdAt} zone={shop.timeZone} />}
        </Fact>
        <Fact label={text.paymentMethod}>{order.paymentMethod}</Fact>
        <Fact label={text.customer}>{lines([order.customer.name, order.customer.email, order.customer.phone])}</Fact>
        <Fact label={text.address}>{addressLines(order.address)}</Fact>
        <Fact label={text.delivery}>
          {lines([order.delivery.label ?? order.delivery.method, order.delivery.pickupLocation])}
        </Fact>
        <Fact label={text.tracking}>
          {lines([order.delivery.trackingCarrier, order.delivery.trackingNumber])}
          {order.delivery.trackingUrl !== null && <TrackingLink url={order.delivery.trackingUrl} />}
        </Fact>
        {order.booking !== null && (
          <Fact label={text.booking}>
            {lines([
              order.booking.scheduledFor === null
                ? null
                : shopTime(order.booking.scheduledFor, shop.timeZone, new Date()),
              order.booking.serviceMode,
              order.booking.serviceLocation,
            ])}
          </Fact>
        )}
        <Fact label={text.coupon}>{order.coupon?.code}</Fact>
        <Fact label={text.note}>{order.note}</Fact>
      </dl>
    </div>
  )
}

function Lines({ order }: { order: Order }) {
  const sums = (['discount', 'deliveryFee', 'tax', 'refunded'] as const).filter((name) => order[name].cents !== 0)
  return (
    <table class="order-lines">
      <thead>
        <tr>
          <th scope="col">{text.columns.items}</th>
          <th scope="col" class="number">
            {text.unitPrice}
          </th>
          <th scope="col" class="number">
            {text.columns.total}
          </th>
        </tr>
      </thead>
      <tbody>
        {order.items.map((line) => (
          <tr key={line.id}>
            <td>
              {line.quantity} × {line.title}{' '}
              {line.variantLabel !== null && <span class="soft">{line.variantLabel}</span>}{' '}
              {line.sku !== null && <code>{line.sku}</code>}
            </td>
            <td class="number">{moneyWords(line.unitPrice)}</td>
            <td class="number">{moneyWords(line.subtotal)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        {sums.map((name) => (
          <tr key={name}>
            <th scope="row" colSpan={2}>
              {text.sums[name]}
            </th>
            <td class="number">{moneyWords(order[name])}</td>
          </tr>
        ))}
        <tr class="whole">
          <th scope="row" colSpan={2}>
            {text.columns.total}
          </th>
          <td class="number">{moneyWords(order.total)}</td>
        </tr>
      </tfoot>
    </table>
  )
}

// A link that a shop has typed: only a web address, opened without a trace of this page.
function TrackingLink({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return <>{url}</>
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {url}
    </a>
  )
}
