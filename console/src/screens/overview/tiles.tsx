// The numbers of the last hour: calls, errors and times, deliveries and what is not delivered yet.
import type { ComponentChildren } from 'preact'
import { LinkTo } from '../../parts/link-to.tsx'
import { Status } from '../../parts/status.tsx'
import { clockIn } from '../../parts/time.ts'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Deliveries, Endpoint, Usage } from './facts.ts'
import { deliveryCounts, type Sums, sumsOf } from './numbers.ts'

const { tiles: label, ...text } = words.overview

export function CallTiles({ usage, zone }: { usage: readonly Usage[]; zone: string }) {
  const { calls, rest, mcp, errors, p95 } = sumsOf(usage, new Date())
  const wrong = errors.over + errors.refused + errors.failed
  return (
    <dl class="tile-group">
      <Tile label={label.requests} value={calls.toLocaleString(words.locale)}>
        {calls === 0 ? text.noRequests : text.split(rest, mcp)}
      </Tile>
      <Tile label={label.errors} value={calls === 0 ? '–' : text.percent(wrong, calls)} isWarning={wrong > 0}>
        {wrong > 0 ? text.errorKinds(errors) : text.noErrors}
      </Tile>
      <Tile label={label.p95} value={p95 === null ? '–' : text.ms(p95.median)}>
        {p95 !== null && timeNote(p95, clockIn(new Date(p95.slowestAt), zone))}
      </Tile>
    </dl>
  )
}

function timeNote({ slowest, minutes }: NonNullable<Sums['p95']>, clock: string): string {
  return minutes === 1 ? text.oneMinute(clock) : text.slowest(slowest, clock)
}

type DeliveryTilesProps = { deliveries: Deliveries; endpoints: readonly Endpoint[] | null; shop: Shop }

export function DeliveryTiles({ deliveries, endpoints, shop }: DeliveryTilesProps) {
  const { delivered, failing, waiting } = deliveryCounts(deliveries)
  const { oldest, hour, isCut, isOldestCut } = deliveries
  return (
    <dl class="tile-group two">
      <Tile label={label.deliveries} value={text.delivered(delivered, isCut)} isWarning={failing > 0}>
        {hour.length === 0 ? (
          endpoints?.length === 0 ? (
            text.noEndpoint
          ) : (
            text.noDeliveries
          )
        ) : (
          <LinkTo name="deliveries" shop={shop}>
            {text.undelivered(failing, waiting)}
          </LinkTo>
        )}
      </Tile>
      <Tile label={label.oldest} value={oldest === null ? '–' : <When at={oldest.happenedAt} zone={shop.timeZone} />}>
        {oldest === null ? (
          text.allDelivered
        ) : (
          <LinkTo name="deliveries" shop={shop} id={oldest.id} search={`?endpoint=${oldest.endpointId}`}>
            {text.ofEvent(oldest.event, isOldestCut)}
          </LinkTo>
        )}
      </Tile>
    </dl>
  )
}

type TileProps = { label: string; value: ComponentChildren; isWarning?: boolean; children: ComponentChildren }

function Tile({ label: name, value, isWarning = false, children }: TileProps) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd class="tile-value">{value}</dd>
      <dd class="tile-note">
        {isWarning ? <Status tone="warn" word="" /> : null} {children}
      </dd>
    </div>
  )
}
