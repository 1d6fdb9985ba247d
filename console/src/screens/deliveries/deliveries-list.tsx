// The list of deliveries: its filters, columns, retries of many, exports, and the same list elsewhere.
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { address } from '../../frame/address.ts'
import { api } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { type Delivery, DeliveryStatus, lastAnswer } from '../../parts/events/delivery.tsx'
import { eventKindFilter } from '../../parts/events/event-kinds.ts'
import type { BulkAction } from '../../parts/list/bulk-bar.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { csvOf, ndjson } from '../../parts/list/export-menu.tsx'
import type { Filter } from '../../parts/list/filters.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Endpoint, REPLAY } from './endpoint.ts'
import { retry } from './retry.ts'

type DeliveryQuery = NonNullable<Parameters<BackOffice['deliveries']['listAll']>[1]>
const { columns: text } = words.deliveries

export function deliveriesList(shop: Shop, endpoints: readonly Endpoint[], mayAct: boolean): ListConfig<Delivery> {
  const { handle, timeZone: zone } = shop
  const path = `/s/${handle}/deliveries`
  const apiPath = `/shops/${handle}/deliveries`
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
  return {
    name: 'deliveries',
    title: words.screens.deliveries,
    path,
    zone,
    filters: filtersOf(urls),
    columns: [
      { label: text.event, cell: ({ event }) => <code>{event}</code> },
      { label: text.status, cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
      {
        label: text.endpoint,
        cell: ({ endpointId }) => <span class="url">{urls.get(endpointId) ?? words.deliveries.deletedEndpoint}</span>,
        isExtra: true,
      },
      { label: text.answer, cell: lastAnswer, isExtra: true },
      { label: text.attempts, cell: ({ attemptCount }) => attemptCount, isNumber: true },
      { label: text.happened, cell: ({ happenedAt }) => <When at={happenedAt} zone={zone} />, isNumber: true },
    ],
    isFollowed: true,
    idOf: ({ id }) => id,
    timeOf: ({ happenedAt }) => happenedAt,
    list: (query, signal) => api.deliveries.listAll(handle, query as DeliveryQuery, { signal }),
    actions: mayAct ? [retryMany(handle)] : [],
    exports: [csv, ndjson],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('deliveries list', handle, query),
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${apiPath}/${id}` }).text,
    empty:
      endpoints.length === 0
        ? { sentence: words.deliveries.noEndpoint, action: <AddEndpoint shop={shop} /> }
        : { sentence: words.deliveries.empty },
    buttons: mayAct && endpoints.length > 0 ? <ReplayLink path={path} /> : null,
  }
}

function AddEndpoint({ shop }: { shop: Shop }) {
  return (
    <LinkTo name="webhooks" shop={shop}>
      {words.deliveries.addEndpoint}
    </LinkTo>
  )
}

// The endpoint and the filters of the list go along.
function ReplayLink({ path }: { path: string }) {
  const { search } = useStore(address)
  return (
    <a class="button" href={`${path}/${REPLAY}${search}`}>
      {words.replays.button}
    </a>
  )
}

function filtersOf(urls: ReadonlyMap<string, string>): readonly Filter[] {
  return [
    ...(urls.size === 0 ? [] : [{ kind: 'one', name: 'endpoint', options: urls } as const]),
    {
      kind: 'choice',
      name: 'status',
      values: ['pending', 'delivered', 'failed', 'held', 'skipped'],
      labels: words.deliveries.statusLabels,
    },
    eventKindFilter('event'),
    { kind: 'id', name: 'object_id' },
    { kind: 'id', name: 'event_id' },
    { kind: 'time', name: 'created_after' },
    { kind: 'time', name: 'created_before' },
  ]
}

const csv = csvOf<Delivery>({
  id: ({ id }) => id,
  endpoint_id: ({ endpointId }) => endpointId,
  event_id: ({ eventId }) => eventId,
  event: ({ event }) => event,
  status: ({ status }) => status,
  attempts: ({ attemptCount }) => attemptCount,
  last_status: ({ attempts }) => attempts[0]?.status ?? null,
  last_error: ({ attempts }) => attempts[0]?.error ?? null,
  next_attempt_at: ({ nextAttemptAt }) => nextAttemptAt,
  happened_at: ({ happenedAt }) => happenedAt,
})

function retryMany(shop: string): BulkAction<Delivery> {
  return {
    name: 'retry',
    label: words.deliveries.retry,
    done: words.deliveries.accepted,
    run: async (id) => {
      const { isAccepted, answer } = await retry(shop, id)
      // Sent, and not accepted: it stands among what was refused, with the answer.
      if (!isAccepted) throw Object.assign(new Error(answer), { code: 'not_accepted' })
    },
    isFor: () => true,
  }
}
