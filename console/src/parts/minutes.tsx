// Calls by the minute as bars, oldest first, the refused part of each in the colour of refusals. With a budget there is a line for it.

export type Minute = { calls: number; refused: number }
type MinutesProps = {
  minutes: readonly Minute[]
  /** What the picture says. */
  label: string
  /** A minute of so many calls reaches the line. */
  budget?: number
  className?: string
}

const HEIGHT = 24
const STEP = 4
const BAR = 3

export function Minutes({ minutes, label, budget, className = 'minutes' }: MinutesProps) {
  const width = minutes.length * STEP
  const most = Math.max(1, budget === undefined ? 0 : budget * 1.05, ...minutes.map(({ calls }) => calls))
  const height = (count: number) => (count === 0 ? 0 : Math.max(1, (count / most) * HEIGHT))
  return (
    <svg class={className} viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="ground" x1="0" x2={width} y1={HEIGHT} y2={HEIGHT} />
      {budget !== undefined && (
        <line class="budget" x1="0" x2={width} y1={HEIGHT - height(budget)} y2={HEIGHT - height(budget)} />
      )}
      {minutes.map(({ calls, refused }, index) =>
        calls === 0 ? null : (
          <g key={index}>
            <rect class="calls" x={index * STEP} y={HEIGHT - height(calls)} width={BAR} height={height(calls)} />
            {refused > 0 && (
              <rect class="refused" x={index * STEP} y={HEIGHT - height(calls)} width={BAR} height={height(refused)} />
            )}
          </g>
        ),
      )}
    </svg>
  )
}
