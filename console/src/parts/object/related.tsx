// Objects that belong to the one that is shown, each a line that leads to it.
import type { ComponentChildren } from 'preact'
import type { Loaded } from '../../frame/loading.ts'
import { Shown } from '../state.tsx'

type RelatedProps<Data> = {
  title: string
  of: Loaded<Data>
  /** The lines. */
  lines(data: Data): { key: string; line: ComponentChildren }[]
  /** In place of the lines where there is none. */
  empty(data: Data): string
  /** Below the lines. */
  more?(data: Data): ComponentChildren
}

export function Related<Data>({ title, of, lines, empty, more }: RelatedProps<Data>) {
  return (
    <section class="related" aria-label={title}>
      <h3>{title}</h3>
      <Shown of={of} rows={2}>
        {(data) => {
          const own = lines(data)
          return (
            <>
              {own.length === 0 ? (
                <p class="soft">{empty(data)}</p>
              ) : (
                <ul>
                  {own.map(({ key, line }) => (
                    <li key={key}>{line}</li>
                  ))}
                </ul>
              )}
              {more?.(data)}
            </>
          )
        }}
      </Shown>
    </section>
  )
}
