// Deliveries: the list, one delivery with its attempts, and the replay of a time range.
import { useMemo, useState } from 'preact/hooks'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { useMaySend } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import type { Delivery } from '../../parts/events/delivery.tsx'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import { Shown } from '../../parts/state.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { deliveriesList } from './deliveries-list.tsx'
import { DeliveryDetail } from './delivery-detail.tsx'
import { type Endpoint, REPLAY } from './endpoint.ts'
import { Replays } from './replays.tsx'

const ENDPOINTS = 100

export function Deliveries({ shop, id }: ScreenProps) {
  const endpoints = useLoad<Endpoint[]>(`endpoints ${shop.handle}`, async (signal) => {
    const { data } = await firstPage(api.endpoints.list(shop.handle, { limit: ENDPOINTS }, { signal }))
    return data
  })
  if (endpoints.data === null) {
    return (
      <div class="screen">
        <h1>{words.screens.deliveries}</h1>
        <Shown of={endpoints} rows={12}>
          {() => null}
        </Shown>
      </div>
    )
  }
  return <OfEndpoints shop={shop} id={id} endpoints={endpoints.data} />
}

function OfEndpoints({ shop, id, endpoints }: ScreenProps & { endpoints: readonly Endpoint[] }) {
  const mayAct = useMaySend()
  const [changed, setChanged] = useState<Delivery | null>(null)
  const config = useMemo(() => deliveriesList(shop, endpoints, mayAct), [shop, endpoints, mayAct])
  return (
    <ListAndObject config={config} id={id} one={words.deliveries.one} changed={changed}>
      {(open, place) =>
        open === REPLAY ? (
          <Replays {...{ shop, endpoints, mayAct, place }} filters={config.filters} />
        ) : (
          <DeliveryDetail key={open} id={open} {...{ shop, endpoints, mayAct, place }} changed={setChanged} />
        )
      }
    </ListAndObject>
  )
}
