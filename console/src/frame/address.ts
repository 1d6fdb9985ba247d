// The router: the address of the page as a store. Links of the console change it without loading the page again.
import { createStore } from './store.ts'

export type Address = { path: string; search: string }

/** The present address. */
export const address = createStore<Address>(read())

/** Whether a path is a screen; the gateway has the same list for what it answers with the page. */
export function isScreenPath(path: string): boolean {
  return /^\/(|sign-in|(operators|audit)(\/.*)?|reference(\/.*)?|connect\/.+|s\/.+)$/.test(path)
}

/** Goes to a path with its query. What a list keeps beside its address (`state`) stays while the query stays. */
export function go(href: string, { replace = false, state }: { replace?: boolean; state?: unknown } = {}): void {
  const target = new URL(href, location.origin)
  const kept = state ?? (target.search === location.search ? (history.state as unknown) : null)
  history[replace ? 'replaceState' : 'pushState'](kept, '', target.pathname + target.search)
  address.set(read())
}

/** Listens to links and to the buttons of the browser, for as long as the page lives. */
export function followLinks(): void {
  addEventListener('popstate', () => address.set(read()))
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (link === null || !isPlain || event.defaultPrevented || link.target !== '' || link.hasAttribute('download'))
      return
    if (link.origin !== location.origin || !isScreenPath(link.pathname)) return
    event.preventDefault()
    go(link.href)
  })
}

function read(): Address {
  return { path: location.pathname, search: location.search }
}
