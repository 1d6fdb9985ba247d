// A list, and one of its objects beside it on a wide window or alone on a narrow one.
import type { ComponentChildren } from 'preact'
import { useCallback } from 'preact/hooks'
import { address, go } from '../../frame/address.ts'
import { useStore } from '../../frame/store.ts'
import { useIsWide } from '../../frame/width.ts'
import { withoutObject } from '../list/filters.ts'
import { List, type ListConfig } from '../list/list.tsx'

/** `isAlone`: without the list beside it, so that its name is the heading of the page. */
export type Place = { isAlone: boolean; close: () => void }
type ListAndObjectProps<Row> = {
  config: ListConfig<Row>
  id: string | null
  /** What one object is called. */
  one: string
  changed?: Row | null
  /** The id of a row that a call has removed. */
  gone?: string | null
  /** The list is read again when it changes. */
  version?: number
  children: (id: string, place: Place) => ComponentChildren
}

export function ListAndObject<Row>({
  config,
  id,
  one,
  changed = null,
  gone = null,
  version = 0,
  children,
}: ListAndObjectProps<Row>) {
  const isWide = useIsWide()
  const search = withoutObject(useStore(address).search)
  const close = useCallback(() => go(config.path + search), [config.path, search])
  const isBeside = isWide && id !== null
  return (
    <div class={isBeside ? 'screen split' : 'screen'}>
      {(isWide || id === null) && <List key={version} config={config} openId={id} changed={changed} gone={gone} />}
      {id !== null && (
        <section class="object" aria-label={one}>
          {!isBeside && (
            <p class="back">
              <a href={config.path + search}>
                <span aria-hidden="true">‹</span> {config.title}
              </a>
            </p>
          )}
          {children(id, { isAlone: !isBeside, close })}
        </section>
      )}
    </div>
  )
}
