// The page on which an operator decides about an agent. It stands without the frame of the screens: there is one thing to do.
import type { ComponentType } from 'preact'
import { Shown } from '../parts/state.tsx'
import { words } from '../words/en.ts'
import { useLoad } from './loading.ts'
import type { Operator } from './session.ts'
import { useTitle } from './title.ts'

const PATH = /^\/connect\/([\w-]+)$/

/** The request that a path names; null for another path. */
export function requestIn(path: string): string | null {
  return PATH.exec(path)?.[1] ?? null
}

export function ConnectPage({ id, operator }: { id: string; operator: Operator }) {
  const code = useLoad<{ component: ComponentType<{ id: string; operator: Operator }> }>('connect', async () => ({
    component: (await import('../screens/connect/connect.tsx')).Connect,
  }))
  useTitle(words.connect.title)
  return <Shown of={code}>{({ component: Component }) => <Component id={id} operator={operator} />}</Shown>
}
