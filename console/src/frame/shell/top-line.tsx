// The top line: where one is, the search, and the operator.
import { useState } from 'preact/hooks'
import { DropDown } from '../../parts/drop-down.tsx'
import { Problem } from '../../parts/state.tsx'
import type { Screen, Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { type Operator, signOut } from '../session.ts'

type TopLineProps = {
  operator: Operator
  shop: Shop | null
  place: { screen: Screen | null } | null
  isSideOpen: boolean
  toggleSide: () => void
  openPalette: () => void
}

export function TopLine({ operator, shop, place, isSideOpen, toggleSide, openPalette }: TopLineProps) {
  const screen = place?.screen ?? null
  return (
    <header class="top">
      <button type="button" class="side-button" aria-expanded={isSideOpen} aria-controls="side" onClick={toggleSide}>
        <span aria-hidden="true">☰</span>
        <span class="only-read">{words.frame.screens}</span>
      </button>
      <p class="where">
        <a href="/">{words.product}</a>
        {shop !== null && <span class="where-shop">{shop.name}</span>}
        {shop?.mode === 'test' && <span class="tag">{words.frame.testShop}</span>}
        {screen !== null && <span class="where-screen">{words.screens[screen.name]}</span>}
      </p>
      <button type="button" class="search" onClick={openPalette}>
        <span>{words.palette.button}</span> <kbd>{words.palette.key}</kbd>
      </button>
      <OperatorMenu operator={operator} />
    </header>
  )
}

function OperatorMenu({ operator }: { operator: Operator }) {
  const [error, setError] = useState<unknown>(null)
  const end = (everywhere: boolean) => void signOut({ everywhere }).catch(setError)
  return (
    <DropDown label={operator.name} className="operator" isRight>
      {() => (
        <div class="menu">
          <p>
            {operator.email ?? operator.name}{' '}
            <span class="soft">{words.roles[operator.role as keyof typeof words.roles]}</span>
          </p>
          <ul>
            <li>
              <button type="button" onClick={() => end(false)}>
                {words.signOut.here}
              </button>
            </li>
            <li>
              <button type="button" onClick={() => end(true)}>
                {words.signOut.everywhere}
              </button>
            </li>
          </ul>
          {error !== null && <Problem error={error} />}
        </div>
      )}
    </DropDown>
  )
}
