// The reference: every operation of both APIs, every event and every tool, each with texts to copy and a way to try it.
import { useState } from 'preact/hooks'
import { address, go } from '../../frame/address.ts'
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { useTitle } from '../../frame/title.ts'
import { useIsWide } from '../../frame/width.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { Empty, Problem, Shown, Waiting } from '../../parts/state.tsx'
import type { Shop, WideScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { readAddress, searchWith } from './address.ts'
import { type Bundle, loadBundle, loadOffice } from './documents.ts'
import { entriesOf, type Entry } from './entries.ts'
import { EntryList } from './entry-list.tsx'
import { EventDetail } from './event-detail.tsx'
import { OperationDetail, titleOf } from './operation-detail.tsx'
import { Start } from './start.tsx'
import { ToolDetail } from './tool-detail.tsx'
import type { TryKey } from './try/key.ts'
import type { Trying } from './try/with-key.tsx'

const PATH = '/reference'
const SHOPS = 100
const text = words.reference
const noShops: readonly Shop[] = []

export function Reference({ id, lastShop }: WideScreenProps) {
  const { search, path } = useStore(address)
  const isWide = useIsWide()
  const [made, setMade] = useState<TryKey | null>(null)
  const bundle = useLoad('reference', loadBundle)
  const office = useLoad('back office document', loadOffice)
  const listed = useLoad('shops to try in', (signal) => firstPage(api.shops.list({ limit: SHOPS }, { signal })))
  const { filter, group, shop: named, leftOut } = readAddress(search)
  const shops = listed.data?.data ?? noShops
  const shop = shops.find(({ handle }) => handle === (named ?? lastShop)) ?? shops[0] ?? null
  const entries = entriesOf(bundle.data, office.data)
  const entry = entries.find((one) => one.id === id)
  const change = (part: Parameters<typeof searchWith>[1]) => go(path + searchWith(search, part), { replace: true })
  const trying: Trying = { shops, shop, made, setMade, choose: (handle) => change({ shop: handle }) }
  const isWaiting = bundle.data === null && bundle.isLoading
  useTitle(entry === undefined ? `${words.screens.reference} – ${words.frame.allShops}` : titleOf(entry))
  return (
    <div class={isWide ? 'screen reference wide' : 'screen reference'}>
      {(isWide || id === null) && (
        <div class="reference-list">
          <h1>{words.screens.reference}</h1>
          {leftOut.length > 0 && (
            <p class="left-out" role="status">
              {words.list.leftOut(leftOut)}
            </p>
          )}
          <EntryList
            entries={entries}
            openId={id}
            filter={filter}
            group={group}
            search={search}
            isWaiting={isWaiting || (office.data === null && office.isLoading)}
            setFilter={(typed) => change({ q: typed })}
            setGroup={(chosen) => change({ in: chosen })}
          />
          {office.error !== null && office.data === null && (
            <Problem error={office.error} retry={() => void office.reload()} />
          )}
        </div>
      )}
      {id === null ? (
        <Shown of={bundle}>{(data) => <Start bundle={data} office={office.data} />}</Shown>
      ) : (
        <section class="object" aria-label={entry?.title ?? id}>
          {!isWide && (
            <p class="back">
              <a href={PATH + search}>
                <span aria-hidden="true">‹</span> {words.screens.reference}
              </a>
            </p>
          )}
          <Shown of={bundle}>
            {(data) => (
              <Chosen
                entry={entry}
                isWaiting={office.data === null && office.isLoading}
                bundle={data}
                trying={trying}
                place={{ isAlone: !isWide, close: () => go(PATH + search) }}
              />
            )}
          </Shown>
        </section>
      )}
    </div>
  )
}

type ChosenProps = {
  entry: Entry | undefined
  isWaiting: boolean
  bundle: Bundle
  trying: Trying
  place: Place
}

function Chosen({ entry, isWaiting, trying, ...shown }: ChosenProps) {
  if (entry === undefined && isWaiting) return <Waiting />
  if (entry === undefined) {
    return (
      <>
        {shown.place.isAlone && <h1>{words.screens.reference}</h1>}
        <Empty sentence={text.missing}>
          <a href={PATH}>{text.showAll}</a>
        </Empty>
      </>
    )
  }
  if (entry.kind === 'event') return <EventDetail key={entry.id} entry={entry} shop={trying.shop} {...shown} />
  if (entry.kind === 'tool') return <ToolDetail key={entry.id} entry={entry} trying={trying} {...shown} />
  return <OperationDetail key={entry.id} entry={entry} trying={trying} {...shown} />
}
