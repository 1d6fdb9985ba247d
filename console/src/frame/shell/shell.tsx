// The frame around every screen: side bar, top line, and the screen that the address names.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem, Shown } from '../../parts/state.tsx'
import { placeOf, type Screen, type Shop, type WideScreenProps } from '../../screens.ts'
import { Shops } from '../../screens/shops/shops.tsx'
import { words } from '../../words/en.ts'
import { address } from '../address.ts'
import { followKeys, useKeys } from '../keys.ts'
import { KeySheet } from './key-sheet.tsx'
import { useLoad } from '../loading.ts'
import { Palette } from './palette.tsx'
import { ScreenOf, WideScreenOf } from './screen-of.tsx'
import { api, type Operator } from '../session.ts'
import { SideBar } from './side-bar.tsx'
import { useStore } from '../store.ts'
import { useTitle } from '../title.ts'
import { TopLine } from './top-line.tsx'

export type Overlay = 'palette' | 'keys' | null

export function Shell({ operator }: { operator: Operator }) {
  const { path } = useStore(address)
  const place = placeOf(path)
  const lastShop = useRef<string | null>(null)
  lastShop.current = place?.shop ?? lastShop.current
  // A screen of all shops keeps the screens of the last shop in the side bar.
  const handle = place?.screen?.isWide === true ? lastShop.current : (place?.shop ?? null)
  const [overlay, setOverlay] = useState<Overlay>(null)
  const [isSideOpen, setSideOpen] = useState(false)
  const shop = useLoad<Shop>(handle === null ? null : `shop ${handle}`, (signal) =>
    api.shops.get(handle ?? '', { signal }),
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
        shop={place?.screen?.isWide === true ? null : shop.data}
        isSideOpen={isSideOpen}
        toggleSide={() => setSideOpen(!isSideOpen)}
        openPalette={() => setOverlay('palette')}
      />
      <SideBar {...parts} openKeys={() => setOverlay('keys')} />
      <main id="screen" tabIndex={-1}>
        {place === null && (path === '/' ? <Shops /> : <NoScreen />)}
        {place !== null && place.shop === null && place.screen !== null && (
          <WidePlace operator={operator} screen={place.screen} id={place.id} lastShop={handle} />
        )}
        {place !== null && place.shop !== null && <Shown of={shop}>{(data) => <Place {...parts} shop={data} />}</Shown>}
      </main>
      {overlay === 'palette' && <Palette {...parts} close={() => setOverlay(null)} />}
      {overlay === 'keys' && <KeySheet close={() => setOverlay(null)} />}
    </div>
  )
}

type PlaceProps = { operator: Operator; shop: Shop; place: ReturnType<typeof placeOf> }

function Place({ operator, shop, place }: PlaceProps) {
  const screen: Screen | null = place?.screen ?? null
  if (screen === null) return <NoScreen />
  if (!screen.roles.some((role) => role === operator.role)) return <RefusedScreen screen={screen} />
  return <ScreenOf key={screen.name} screen={screen} shop={shop} id={place?.id ?? null} />
}

type WidePlaceProps = { operator: Operator; screen: Screen } & WideScreenProps

function WidePlace({ operator, screen, ...props }: WidePlaceProps) {
  if (!screen.roles.some((role) => role === operator.role)) return <RefusedScreen screen={screen} />
  return <WideScreenOf key={screen.name} screen={screen} {...props} />
}

function NoScreen() {
  useTitle(words.frame.noScreen)
  return (
    <div class="screen">
      <h1>{words.frame.noScreen}</h1>
      <p>{words.frame.noScreenHow}</p>
    </div>
  )
}

function RefusedScreen({ screen: { name, roles } }: { screen: Screen }) {
  useTitle(words.screens[name])
  return (
    <div class="screen">
      <h1>{words.screens[name]}</h1>
      <Problem error={words.frame.roleMayNot(roles)} />
    </div>
  )
}
