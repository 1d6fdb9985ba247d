// A screen of a list and its objects: the object beside the list on a wide window, alone on a narrow one.
import type { ComponentChildren } from 'preact'
import { useCallback } from 'preact/hooks'
import { address, go } from '../../frame/address.ts'
import { useStore } from '../../frame/store.ts'
import { useIsWide } from '../../frame/width.ts'
import { List, type ListConfig } from './list.tsx'

type ListAndObjectProps<Row> = {
  config: ListConfig<Row>
  id: string | null
  /** What one object is called. */
  one: string
  /** A row that a call has changed. */
  changed?: Row | null
  children: (shown: { id: string; isAlone: boolean; close: () => void }) => ComponentChildren
}

export function ListAndObject<Row>({ config, id, one, changed = null, children }: ListAndObjectProps<Row>) {
  const isWide = useIsWide()
  const { search } = useStore(address)
  const close = useCallback(() => go(config.path + search), [config.path, search])
  const isBeside = isWide && id !== null
  return (
    <div class={isBeside ? 'screen split' : 'screen'}>
      {(isWide || id === null) && <List config={config} openId={id} changed={changed} />}
      {id !== null && (
        <section class="object" aria-label={one}>
          {!isBeside && (
            <p class="back">
              <a href={config.path + search}>
                <span aria-hidden="true">‹</span> {config.title}
              </a>
            </p>
          )}
          {children({ id, isAlone: !isBeside, close })}
        </section>
      )}
    </div>
  )
}
