// Loads the code of a screen and draws it.
import type { ComponentType } from 'preact'
import { useCallback } from 'preact/hooks'
import { Shown } from '../../parts/state.tsx'
import { type ScreenCode, screenCode } from '../../screen-code.ts'
import type { Screen, ScreenProps, WideScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { useLoad } from '../loading.ts'
import { useTitle } from '../title.ts'

/** A screen of a shop. */
export function ScreenOf({ screen, ...props }: { screen: Screen } & ScreenProps) {
  return <Loaded name={screen.name} load={codeOf(screen).load} where={props.shop.name} given={props} />
}

/** A screen of all shops. */
export function WideScreenOf({ screen, ...props }: { screen: Screen } & WideScreenProps) {
  return <Loaded name={screen.name} load={codeOf(screen).loadWide} where={words.frame.allShops} given={props} />
}

type LoadedProps<Props> = {
  name: Screen['name']
  load: (() => Promise<ComponentType<Props>>) | undefined
  where: string
  given: Props
}

function Loaded<Props extends object>({ name, load, where, given }: LoadedProps<Props>) {
  const loadCode = useCallback(async () => {
    if (load === undefined) throw new Error(`The screen ${name} has no such row in screen-code.ts.`)
    return { component: await load() }
  }, [name, load])
  const code = useLoad<{ component: ComponentType<Props> }>(name, loadCode)
  useTitle(`${words.screens[name]} – ${where}`)
  return <Shown of={code}>{({ component: Component }) => <Component {...given} />}</Shown>
}

function codeOf({ name }: Screen): ScreenCode {
  const code = screenCode[name]
  if (code === undefined) throw new Error(`The screen ${name} has no row in screen-code.ts.`)
  return code
}
