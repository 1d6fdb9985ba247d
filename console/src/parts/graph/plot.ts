// A plot by minutes on a canvas: bars in layers, or a line. Its colours are tokens of the page, read at each drawing.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { clockIn } from '../time.ts'
import type { Layer, PlotFacts } from './plot-facts.ts'

export type Plot = {
  show(facts: PlotFacts): void
  setWidth(width: number): void
  /** Marks a minute by its place; null marks none. */
  mark(place: number | null): void
  /** After the colours of the page have changed. */
  redraw(): void
  close(): void
}

const HEIGHT = 128
const MINUTE_S = 60
const GAP = 0.15 // Of a minute, at each side of a bar.
const LABEL_SPACE = 76 // Pixels from one label of the time to the next.

/** `pointed` gets the place of the minute under the pointer, or null. The layers keep their number and kinds. */
export function openPlot(target: HTMLElement, first: PlotFacts, pointed: (place: number | null) => void): Plot {
  let facts = first
  const plot = new uPlot(
    {
      width: Math.max(target.clientWidth, 1),
      height: HEIGHT,
      padding: [10, 8, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      tzDate: (second) => uPlot.tzDate(new Date(second * 1_000), facts.zone),
      scales: {
        x: { range: () => rangeOf(facts) },
        y: { range: () => [0, facts.top] },
      },
      axes: [
        {
          ...axis(),
          size: 24,
          space: LABEL_SPACE,
          grid: { show: false },
          values: (_plot, seconds) => seconds.map((second) => clockIn(new Date(second * 1_000), facts.zone)),
        },
        { ...axis(), size: 44, splits: () => [...splitsOf(facts)] },
      ],
      series: [{}, ...first.layers.map((layer, index) => seriesOf(layer, () => facts.layers[index] ?? layer))],
      hooks: {
        draw: [(drawn) => drawLine(drawn, facts.line)],
        setCursor: [({ cursor }) => pointed(cursor.idx ?? null)],
      },
    },
    dataOf(first),
    target,
  )
  return {
    show(next) {
      facts = next
      plot.setData(dataOf(next))
    },
    setWidth: (width) => plot.setSize({ width: Math.max(width, 1), height: HEIGHT }),
    mark(place) {
      const at = place === null ? undefined : plot.data[0]?.[place]
      plot.setCursor({ left: at === undefined ? -10 : plot.valToPos(at, 'x'), top: at === undefined ? -10 : 0 })
    },
    redraw: () => plot.redraw(false, true),
    close: () => plot.destroy(),
  }
}

// The middle of each minute, so that the pointer is nearest to the bar below it.
function dataOf({ minutes, layers }: PlotFacts): uPlot.AlignedData {
  return [
    minutes.map((minute) => minute / 1_000 + MINUTE_S / 2),
    ...layers.map((layer) => [...(layer.kind === 'bars' ? layer.to : layer.values)]),
  ]
}

function rangeOf({ minutes }: PlotFacts): [number, number] {
  return [(minutes[0] ?? 0) / 1_000, (minutes.at(-1) ?? 0) / 1_000 + MINUTE_S]
}

function splitsOf({ top, line }: PlotFacts): readonly number[] {
  if (line === null) return [0, top / 2, top]
  return top > 2 * line ? [0, line, Math.floor(top)] : [0, line / 2, line]
}

function seriesOf(first: Layer, layer: () => Layer): uPlot.Series {
  const colour = () => colourOf(layer().colour)
  if (first.kind === 'line') return { stroke: colour, width: 1.5, points: { show: true, size: 4, fill: colour } }
  return { width: 0, fill: colour, points: { show: false }, paths: (plot) => ({ fill: barsOf(plot, layer()) }) }
}

function barsOf(plot: uPlot, layer: Layer): Path2D {
  const bars = new Path2D()
  if (layer.kind !== 'bars') return bars
  for (const [index, middle] of plot.data[0].entries()) {
    const [from = 0, to = 0] = [layer.from[index], layer.to[index]]
    if (to <= from) continue
    const left = plot.valToPos(middle - MINUTE_S * (0.5 - GAP), 'x', true)
    const right = plot.valToPos(middle + MINUTE_S * (0.5 - GAP), 'x', true)
    const bottom = plot.valToPos(from, 'y', true)
    // One call of 240 must be seen too.
    const height = Math.max(bottom - plot.valToPos(to, 'y', true), 2 * devicePixelRatio)
    bars.rect(left, bottom - height, right - left, height)
  }
  return bars
}

function drawLine({ ctx, bbox, valToPos }: uPlot, line: number | null): void {
  if (line === null) return
  const height = valToPos(line, 'y', true)
  ctx.save()
  ctx.strokeStyle = colourOf('--soft')
  ctx.lineWidth = devicePixelRatio
  ctx.beginPath()
  ctx.moveTo(bbox.left, height)
  ctx.lineTo(bbox.left + bbox.width, height)
  ctx.stroke()
  ctx.restore()
}

function axis(): uPlot.Axis {
  return {
    stroke: () => colourOf('--soft'),
    grid: { stroke: () => colourOf('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
    gap: 4,
  }
}

function colourOf(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim()
}
