// The side bar: the shop, and the screens by job that the role may see.
import { jobs, screens, hrefOf, type Screen, type Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { Operator } from '../session.ts'
import { ShopSwitch } from './shop-switch.tsx'

type SideBarProps = {
  operator: Operator
  shop: Shop | null
  place: { screen: Screen | null } | null
  openKeys: () => void
}

export function SideBar({ operator, shop, place, openKeys }: SideBarProps) {
  return (
    <nav class="side" aria-label={words.frame.screens} id="side">
      <ShopSwitch operator={operator} shop={shop} />
      {jobs.map((job) => {
        const own = screens.filter(
          (screen) => screen.job === job && hrefOf(screen.name, shop?.handle ?? null, operator.role),
        )
        if (own.length === 0) return null
        return (
          <section key={job}>
            <h2>{words.jobs[job]}</h2>
            <ul>
              {own.map(({ name }) => (
                <li key={name}>
                  <a
                    href={hrefOf(name, shop?.handle ?? null, operator.role) ?? ''}
                    aria-current={place?.screen?.name === name ? 'page' : undefined}
                  >
                    {words.screens[name]}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
      <button type="button" class="link keys-button" onClick={openKeys}>
        {words.keys.title} <kbd>?</kbd>
      </button>
    </nav>
  )
}
