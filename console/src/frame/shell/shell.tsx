// The frame around every screen: side bar, top line, and the screen that the address names.
import { useEffect, useState } from 'preact/hooks'
import { Problem, Shown, Waiting } from '../../parts/state.tsx'
import { placeOf, type Screen, screens, type Shop } from '../../screens.ts'
import { Shops } from '../../screens/shops/shops.tsx'
import { words } from '../../words/en.ts'
import { address, go } from '../address.ts'
import { followKeys, useKeys } from '../keys.ts'
import { KeySheet } from './key-sheet.tsx'
import { useLoad } from '../loading.ts'
import { Palette } from './palette.tsx'
import { ScreenOf } from './screen-of.tsx'
import { api, type Operator } from '../session.ts'
import { SideBar } from './side-bar.tsx'
import { useStore } from '../store.ts'
import { TopLine } from './top-line.tsx'

export type Overlay = 'palette' | 'keys' | null

export function Shell({ operator }: { operator: Operator }) {
  const { path } = useStore(address)
  const place = placeOf(path)
  const [overlay, setOverlay] = useState<Overlay>(null)
  const [isSideOpen, setSideOpen] = useState(false)
  const shop = useLoad<Shop>(place === null ? null : `shop ${place.shop}`, (signal) =>
    api.shops.get(place?.shop ?? '', { signal }),
  )
  useEffect(() => followKeys(() => setOverlay('palette')), [])
  useEffect(() => setSideOpen(false), [path]) // The sheet of a small window closes behind a choice.
  useKeys({ '?': { words: words.keys.help, act: () => setOverlay('keys') } })
  const parts = { operator, shop: shop.data, place }
  return (
    <div class={isSideOpen ? 'shell side-open' : 'shell'}>
      <a class="skip" href="#screen">
        {words.frame.skip}
      </a>
      <TopLine
        {...parts}
        isSideOpen={isSideOpen}
        toggleSide={() => setSideOpen(!isSideOpen)}
        openPalette={() => setOverlay('palette')}
      />
      <SideBar {...parts} openKeys={() => setOverlay('keys')} />
      <main id="screen" tabIndex={-1}>
        {place === null ? (
          path === '/' ? (
            <Shops />
          ) : (
            <NoScreen />
          )
        ) : (
          <Shown of={shop}>{(data) => <Place {...parts} shop={data} />}</Shown>
        )}
      </main>
      {overlay === 'palette' && <Palette {...parts} close={() => setOverlay(null)} />}
      {overlay === 'keys' && <KeySheet close={() => setOverlay(null)} />}
    </div>
  )
}

type PlaceProps = { operator: Operator; shop: Shop; place: ReturnType<typeof placeOf> }

function Place({ operator, shop, place }: PlaceProps) {
  const screen: Screen | null = place?.screen ?? null
  const first = screens.find(({ roles }) => roles.some((role) => role === operator.role))
  const isShopAlone = screen === null && address.get().path.split('/').length <= 3
  useEffect(() => {
    if (isShopAlone && first !== undefined) go(`/s/${shop.handle}/${first.path}`, { replace: true })
  }, [isShopAlone])
  if (isShopAlone) return <Waiting />
  if (screen === null) return <NoScreen />
  if (!screen.roles.some((role) => role === operator.role)) return <RefusedScreen name={screen.name} />
  return <ScreenOf key={screen.name} screen={screen} shop={shop} id={place?.id ?? null} />
}

function NoScreen() {
  return (
    <div class="screen">
      <h1>{words.frame.noScreen}</h1>
      <p>{words.frame.noScreenHow}</p>
    </div>
  )
}

function RefusedScreen({ name }: { name: Screen['name'] }) {
  return (
    <div class="screen">
      <h1>{words.screens[name]}</h1>
      <Problem error={new Error(words.frame.roleMayNot)} />
    </div>
  )
}
