// Everything that happened to an object, newest first.
import type { ComponentChildren } from 'preact'
import type { Tone } from './status.tsx'
import { When } from './when.tsx'

export type Moment = {
  key: string
  at: string
  tone: Tone
  title: ComponentChildren
  /** Below the title. */
  more?: ComponentChildren
}

export function TimeLine({ moments, zone, label }: { moments: readonly Moment[]; zone: string; label: string }) {
  return (
    <ol class="time-line" aria-label={label}>
      {moments.map(({ key, at, tone, title, more }) => (
        <li key={key} class={tone}>
          <p>
            <span>{title}</span> <When at={at} zone={zone} />
          </p>
          {more}
        </li>
      ))}
    </ol>
  )
}
