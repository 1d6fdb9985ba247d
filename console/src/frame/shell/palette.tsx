// The palette: goes to any screen by its name, and to any object by its id, an email or the id of a request.
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { screenCode } from '../../screen-code.ts'
import { hrefOf, type Found, screens, type Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { go } from '../address.ts'
import { useLoad } from '../loading.ts'
import type { Operator } from '../session.ts'

type PaletteProps = { operator: Operator; shop: Shop | null; close: () => void }

const ENOUGH = 3 // Characters from which objects are searched.
const PAUSE_MS = 150 // Between the last key and the search.

export function Palette({ operator, shop, close }: PaletteProps) {
  const [text, setText] = useState('')
  const [sought, setSought] = useState('')
  const [chosen, setChosen] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setSought(text.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const finds = shop !== null && sought.length >= ENOUGH
  const objects = useLoad<Found[]>(finds ? `${shop.handle} ${sought}` : null, async (signal) =>
    shop === null ? [] : find(shop, operator, sought, signal),
  )
  const found = [...screensNamed(text, operator, shop), ...(finds ? (objects.data ?? []) : [])]
  const open = (one: Found | undefined) => {
    if (one === undefined) return
    close()
    go(one.href)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((chosen + step + found.length) % Math.max(found.length, 1))
    }
    if (event.key === 'Enter') open(found[chosen])
  }
  return (
    <Dialog label={words.palette.button} className="palette" close={close}>
      <input
        type="text"
        list={undefined}
        role="combobox"
        aria-label={words.palette.button}
        aria-expanded={found.length > 0}
        aria-controls="palette-found"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        placeholder={words.palette.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKey}
      />
      <ul role="listbox" id="palette-found" aria-label={words.palette.results}>
        {found.map((one, index) => (
          <li
            key={one.href}
            role="option"
            id={`palette-${index}`}
            aria-selected={index === chosen}
            onClick={() => open(one)}
          >
            {one.title} <span class="soft">{one.about}</span>
          </li>
        ))}
      </ul>
      <p class="soft" role="status">
        {statusOf(objects.isLoading && finds, objects.error, found.length)}
      </p>
    </Dialog>
  )
}

function statusOf(isSearching: boolean, error: unknown, count: number): string {
  if (isSearching) return words.palette.searching
  if (error !== null) return words.palette.failed
  return count === 0 ? words.palette.nothing : words.palette.hint
}

function screensNamed(text: string, { role }: Operator, shop: Shop | null): Found[] {
  const named = (title: string) => title.toLowerCase().includes(text.trim().toLowerCase())
  const own = screens.flatMap(({ name, isWide }) => {
    const href = hrefOf(name, shop?.handle ?? null, role)
    return href !== null && named(words.screens[name])
      ? [{ href, title: words.screens[name], about: isWide === true ? words.frame.allShops : (shop?.name ?? '') }]
      : []
  })
  return named(words.frame.allShops) ? [...own, { href: '/', title: words.frame.allShops, about: '' }] : own
}

// What happened to an object stands below the object. A screen that fails to search leaves the results of the others.
async function find(shop: Shop, { role }: Operator, text: string, signal: AbortSignal): Promise<Found[]> {
  const own = screens.filter(({ roles }) => roles.some((may) => may === role))
  const sorted = [...own.filter(({ job }) => job !== 'activity'), ...own.filter(({ job }) => job === 'activity')]
  const finders = sorted.map(({ name }) => screenCode[name]?.find).filter((finder) => finder !== undefined)
  const results = await Promise.allSettled(finders.map((finder) => finder(shop.handle, text, signal)))
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const failed = results.find((result) => result.status === 'rejected')
  if (found.length === 0 && failed !== undefined) throw failed.reason
  return found
}
