// A graph by minutes with what it shows in words. The pointer and the arrow keys go from minute to minute; a screen reader has it as a
// slider whose value is the minute.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { Problem } from '../state.tsx'
import type { Plot } from './plot.ts'
import type { PlotFacts } from './plot-facts.ts'

type GraphProps = {
  /** What it shows. */
  label: string
  facts: PlotFacts
  /** What a minute says, by its place. */
  valueOf(place: number): string
  /** What stands there while no minute is pointed at. */
  sum: string
}

const dark = matchMedia('(prefers-color-scheme: dark)')

export function Graph({ label, facts, valueOf, sum }: GraphProps) {
  const code = useLoad('plot', () => import('./plot.ts'))
  const target = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot | null>(null)
  const [place, setPlace] = useState<number | null>(null)
  const last = facts.minutes.length - 1
  useEffect(() => {
    const element = target.current
    if (element === null || code.data === null) return undefined
    const own = code.data.openPlot(element, facts, setPlace)
    plot.current = own
    const observer = new ResizeObserver(() => own.setWidth(element.clientWidth))
    observer.observe(element)
    const redraw = () => own.redraw()
    dark.addEventListener('change', redraw)
    return () => {
      dark.removeEventListener('change', redraw)
      observer.disconnect()
      own.close()
      plot.current = null
    }
  }, [code.data])
  useEffect(() => plot.current?.show(facts), [facts])
  const onKey = (event: KeyboardEvent) => {
    const at = place ?? last
    const steps: Record<string, number | null> = {
      ArrowLeft: place === null ? last : Math.max(at - 1, 0),
      ArrowRight: Math.min(at + 1, last),
      Home: 0,
      End: last,
      Escape: null,
    }
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    plot.current?.mark(next)
    setPlace(next)
  }
  const shown = place === null || place > last ? null : valueOf(place)
  return (
    <div class="graph">
      {code.data === null && code.error !== null && <Problem error={code.error} retry={() => void code.reload()} />}
      <div
        class="plot"
        ref={target}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={place ?? last}
        aria-valuetext={shown ?? sum}
        onKeyDown={onKey}
      />
      <p class="graph-value number">{shown ?? sum}</p>
    </div>
  )
}
