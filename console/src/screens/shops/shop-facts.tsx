// What the list of shops says of each: its requests of the last hour, and its endpoints. Each is loaded by itself, a few at a time, so
// that one that is refused or fails leaves the others.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { problemOf } from '../../frame/errors.ts'
import { firstPage } from '../../frame/first-page.ts'
import { type Loaded, useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { Minutes } from '../../parts/minutes.tsx'
import { Status } from '../../parts/status.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { fewAtATime } from './few-at-a-time.ts'
import { type Endpoint, type Hour, hourOf, isInTrouble, type Usage } from './shop-hour.ts'

const text = words.allShops
const AT_ONCE = 4
const MINUTES = 60
const ENDPOINTS = 100
const inTurn = fewAtATime(AT_ONCE)
/** By the row of the list, so that a list that is read again reads them again. */
const hours = new WeakMap<Shop, Promise<Usage[]>>()

export function ShopRequests({ shop }: { shop: Shop }) {
  return (
    <HourCell shop={shop}>
      {({ calls, failed, minutes }) =>
        calls === 0 ? (
          <span class="soft">{text.noRequests}</span>
        ) : (
          <span class="shop-hour">
            {calls.toLocaleString(words.locale)}
            <Minutes minutes={minutes} label={text.useOf(calls, failed)} />
          </span>
        )
      }
    </HourCell>
  )
}

export function ShopFailures({ shop }: { shop: Shop }) {
  return (
    <HourCell shop={shop}>
      {({ failed }) =>
        failed === 0 ? <span class="soft">{text.noFailures}</span> : <Status tone="warn" word={text.failed(failed)} />
      }
    </HourCell>
  )
}

export function ShopEndpoints({ shop }: { shop: Shop }) {
  const endpoints = useLoad<Endpoint[]>(`endpoints ${shop.handle}`, (signal) =>
    inTurn(signal, async () => {
      const { data } = await firstPage(api.endpoints.list(shop.handle, { limit: ENDPOINTS }, { signal }))
      return data
    }),
  )
  useReadAgain(endpoints, shop)
  return (
    <Cell of={endpoints}>
      {(all) => {
        if (all.length === 0) return <span class="soft">{text.noEndpoint}</span>
        const troubled = all.filter(isInTrouble)
        if (troubled.length > 0) return <Status tone="warn" word={text.inTrouble(troubled.map(({ url }) => url))} />
        const on = all.filter(({ enabled }) => enabled).length
        if (on === 0) return <Status tone="off" word={text.off(all.length)} />
        return <Status tone="ok" word={text.inOrder(on)} />
      }}
    </Cell>
  )
}

// The row was read again: so is what belongs to it.
function useReadAgain({ reload }: Loaded<unknown>, shop: Shop): void {
  const known = useRef(shop)
  useEffect(() => {
    if (known.current === shop) return
    known.current = shop
    void reload()
  }, [shop, reload])
}

function HourCell({ shop, children }: { shop: Shop; children: (hour: Hour) => ComponentChildren }) {
  const usage = useLoad(`hour ${shop.handle}`, (signal) => usageOf(shop, signal))
  useReadAgain(usage, shop)
  return <Cell of={usage}>{(rows) => children(hourOf(rows, MINUTES, new Date()))}</Cell>
}

// Two cells of a row show the same hour.
function usageOf(shop: Shop, signal: AbortSignal): Promise<Usage[]> {
  const known = hours.get(shop)
  if (known !== undefined) return known
  const loading = inTurn(signal, () => api.usage.list(shop.handle, { minutes: MINUTES }, { signal }))
  hours.set(shop, loading)
  loading.catch(() => hours.delete(shop))
  return loading
}

function Cell<Data>({ of, children }: { of: Loaded<Data>; children: (data: Data) => ComponentChildren }) {
  if (of.data !== null) return <>{children(of.data)}</>
  if (of.error === null || of.isLoading) return <span aria-busy="true" />
  const { title, why, requestId } = problemOf(of.error)
  const whole = [title, why, requestId === null ? '' : `${words.problem.requestId} ${requestId}`].join(' ')
  return (
    <span class="soft" title={whole}>
      {title} {why}
    </span>
  )
}
