// What the page shows: the sign-in, the decision about an agent, or the shell with a screen.
import { useEffect } from 'preact/hooks'
import { Problem, Waiting } from '../parts/state.tsx'
import { address, go, isScreenPath } from './address.ts'
import { ConnectPage, requestIn } from './connect-page.tsx'
import { openSession, session } from './session.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './sign-in.tsx'
import { useStore } from './store.ts'

export function App() {
  const now = useStore(session)
  const { path, search } = useStore(address)
  useEffect(() => {
    if (now.state === 'out' && path !== '/sign-in') {
      const to = path + search
      go(to === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`, { replace: true })
    }
    if (now.state === 'in' && path === '/sign-in') go(returnPath(search), { replace: true })
  }, [now.state, path, search])
  const request = requestIn(path)
  if (now.state === 'in' && request !== null) return <ConnectPage id={request} operator={now.operator} />
  if (now.state === 'in') return path === '/sign-in' ? <Waiting /> : <Shell operator={now.operator} />
  if (now.state === 'out') return <SignIn hasEnded={now.hasEnded} />
  if (now.error === null) return <Waiting />
  return <SignIn hasEnded={false} notice={<Problem error={now.error} retry={() => void openSession()} />} />
}

// Only a screen of ours, never another site.
function returnPath(search: string): string {
  const to = new URLSearchParams(search).get('to') ?? '/'
  const target = URL.parse(to, location.origin)
  return target?.origin === location.origin && isScreenPath(target.pathname) ? target.pathname + target.search : '/'
}
