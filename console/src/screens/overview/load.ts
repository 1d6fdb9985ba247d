// Loads what the overview looks at.
import type { BackOffice } from '../../../../clients/typescript/src/client.ts'
import { firstPage, type Page } from '../../frame/first-page.ts'
import { api } from '../../frame/session.ts'
import {
  DAY_MS,
  type Deliveries,
  type Delivery,
  type Endpoint,
  type Key,
  MINUTE_MS,
  MINUTES,
  type Request,
  type Usage,
} from './facts.ts'

const ROWS = 100
const HOUR_MS = MINUTES * MINUTE_MS
const FAILED_MS = 7 * DAY_MS
const agesMs = [7 * DAY_MS, 3 * DAY_MS, DAY_MS, 6 * HOUR_MS, HOUR_MS, 10 * MINUTE_MS] as const
// Of a busy key most refusals are 429; these are asked for by themselves then, so that they are not crowded out.
const rare = [400, 403, 500, 503] as const

export function loadUsage(shop: string, signal: AbortSignal): Promise<Usage[]> {
  return api.usage.list(shop, { minutes: MINUTES }, { signal })
}

/** Those that were refused or failed in the last hour, newest first: the newest of each kind where there are many. */
export async function loadRequests(shop: string, signal: AbortSignal): Promise<Request[]> {
  const createdAfter = before(HOUR_MS)
  const load = (query: { status?: number }) =>
    firstPage(api.requests.list(shop, { ...query, createdAfter, limit: ROWS }, { signal }))
  const newest = await load({})
  if (!newest.has_more) return newest.data
  const pages = await Promise.all(rare.map((status) => load({ status })))
  const others = newest.data.filter(({ status }) => !rare.some((one) => one === status))
  return [...others, ...pages.flatMap(({ data }) => data)].toSorted((one, other) => other.at.localeCompare(one.at))
}

export async function loadKeys(shop: string, signal: AbortSignal): Promise<Key[]> {
  return (await firstPage(api.keys.list(shop, { limit: ROWS }, { signal }))).data
}

export async function loadEndpoints(shop: string, signal: AbortSignal): Promise<Endpoint[]> {
  return (await firstPage(api.endpoints.list(shop, { limit: ROWS }, { signal }))).data
}

export async function loadDeliveries(shop: string, signal: AbortSignal): Promise<Deliveries> {
  const list: ListDeliveries = (query) => firstPage(api.deliveries.listAll(shop, { ...query, limit: ROWS }, { signal }))
  const createdAfter = before(HOUR_MS)
  const [hour, failed, { oldest, isCut: isOldestCut }] = await Promise.all([
    list({ createdAfter }),
    list({ status: 'failed', createdAfter: before(FAILED_MS) }),
    findOldest(list),
  ])
  // Of a busy shop most are delivered; what is not must be there too.
  const others = hour.has_more ? (await list({ status: ['pending', 'failed'], createdAfter })).data : []
  const known = new Set(hour.data.map(({ id }) => id))
  return {
    hour: [...hour.data, ...others.filter(({ id }) => !known.has(id))],
    isCut: hour.has_more,
    failed: failed.data,
    isFailedCut: failed.has_more,
    oldest,
    isOldestCut,
  }
}

type DeliveryQuery = NonNullable<Parameters<BackOffice['deliveries']['listAll']>[1]>
type ListDeliveries = (query: DeliveryQuery) => Promise<Page<Delivery>>

// The list has the newest first. Where one page does not reach the oldest, it is looked for behind these ages.
async function findOldest(list: ListDeliveries): Promise<{ oldest: Delivery | null; isCut: boolean }> {
  const newest = await list({ status: 'pending' })
  const ages = newest.has_more
    ? await Promise.all(agesMs.map((age) => list({ status: 'pending', createdBefore: before(age) })))
    : []
  const page = ages.find(({ data }) => data.length > 0) ?? newest
  return { oldest: page.data.at(-1) ?? null, isCut: page.has_more }
}

function before(ageMs: number): Date {
  return new Date(Date.now() - ageMs)
}
