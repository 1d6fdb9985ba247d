// Requests: those of the keys that were refused or failed, one of them, and all of them live.
import { useMemo } from 'preact/hooks'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import { Waiting } from '../../parts/state.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { LiveTail } from './live-tail.tsx'
import { type KeyNames, LIVE } from './request.ts'
import { RequestDetail } from './request-detail.tsx'
import { requestsList } from './requests-list.tsx'

const KEYS = 100
const nobody: KeyNames = new Map()

export function Requests({ shop, id }: ScreenProps) {
  const keys = useLoad<KeyNames>(`keys ${shop.handle}`, async (signal) => {
    const { data } = await firstPage(api.keys.list(shop.handle, { limit: KEYS }, { signal }))
    return new Map(data.map((key) => [key.id, key.name]))
  })
  // Without the names of the keys the screen shows their ids.
  const names = keys.data ?? nobody
  const config = useMemo(() => requestsList(shop, names), [shop, names])
  if (keys.data === null && keys.isLoading) {
    return (
      <div class="screen">
        <h1>{words.screens.requests}</h1>
        <Waiting />
      </div>
    )
  }
  return (
    <ListAndObject config={config} id={id} one={words.requests.one}>
      {(open, place) =>
        open === LIVE ? (
          <LiveTail place={place} shop={shop} names={names} />
        ) : (
          <RequestDetail key={open} id={open} place={place} shop={shop} names={names} />
        )
      }
    </ListAndObject>
  )
}
