// Loads the code of a screen and draws it.
import type { ComponentType } from 'preact'
import { useCallback } from 'preact/hooks'
import { Shown } from '../../parts/state.tsx'
import { screenCode } from '../../screen-code.ts'
import type { Screen, ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { useLoad } from '../loading.ts'
import { useTitle } from '../title.ts'

export function ScreenOf({ screen, ...props }: { screen: Screen } & ScreenProps) {
  const load = useCallback(async () => ({ component: await codeOf(screen).load() }), [screen])
  const code = useLoad<{ component: ComponentType<ScreenProps> }>(screen.name, load)
  useTitle(`${words.screens[screen.name]} – ${props.shop.name}`)
  return <Shown of={code}>{({ component: Component }) => <Component {...props} />}</Shown>
}

function codeOf({ name }: Screen) {
  const code = screenCode[name]
  if (code === undefined) throw new Error(`The screen ${name} has no row in screen-code.ts.`)
  return code
}
