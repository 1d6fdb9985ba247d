// A graph for each key that was used in the last hour, with the line of its budget, and one of the times. As a table they are the same
// minutes in numbers. Which of both stands in the address.
import { useMemo } from 'preact/hooks'
import { address, go } from '../../frame/address.ts'
import { useStore } from '../../frame/store.ts'
import { shortId } from '../../parts/copy.tsx'
import { Graph } from '../../parts/graph/graph.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { clockIn } from '../../parts/time.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { BUDGET, type Key, type Usage } from './facts.ts'
import { MinuteTable } from './minute-table.tsx'
import { busyKeys, type CallMinute, callPlot, minutesOf, speedPlot } from './numbers.ts'

type GraphsProps = { usage: readonly Usage[]; keys: readonly Key[] | null; shop: Shop }

const text = words.overview

export function Graphs({ usage, keys, shop }: GraphsProps) {
  const { search } = useStore(address)
  const isTable = new URLSearchParams(search).get('as') === 'table'
  const zone = shop.timeZone
  const now = new Date()
  const busy = busyKeys(usage)
  const nameOf = (id: string) => keys?.find((key) => key.id === id)?.name ?? shortId(id)
  const quiet = (keys ?? []).filter(({ id, revokedAt }) => revokedAt === null && !busy.includes(id))
  return (
    <>
      <div class="graphs-head">
        <h2>{text.parts.graphs}</h2>
        {busy.length > 0 && (
          <>
            {!isTable && <Legend />}
            <button
              type="button"
              aria-pressed={isTable}
              onClick={() => go(`${location.pathname}${isTable ? '' : '?as=table'}`, { replace: true })}
            >
              {words.graph.asTable}
            </button>
          </>
        )}
      </div>
      {busy.length === 0 && <p class="soft">{text.noCalls}</p>}
      <div class="graph-grid">
        {busy.map((id) => (
          <section key={id} class="graph-card" aria-label={nameOf(id)}>
            <h3>
              <LinkTo name="keys" shop={shop} id={id}>
                {nameOf(id)}
              </LinkTo>
            </h3>
            <KeyMinutes
              name={nameOf(id)}
              usage={usage}
              minutes={minutesOf(
                usage.filter(({ keyId }) => keyId === id),
                now,
              )}
              zone={zone}
              isTable={isTable}
            />
          </section>
        ))}
        {busy.length > 0 && !isTable && (
          <section class="graph-card" aria-label={text.parts.speed}>
            <h3>{text.parts.speed}</h3>
            <Speed usage={usage} minutes={minutesOf(usage, now)} zone={zone} />
          </section>
        )}
      </div>
      {busy.length > 0 && quiet.length > 0 && <p class="soft">{text.quiet(quiet.map(({ name }) => name))}</p>}
    </>
  )
}

type MinutesProps = {
  name: string
  /** What the minutes are made of; the same until it is loaded again. */
  usage: readonly Usage[]
  minutes: readonly CallMinute[]
  zone: string
  isTable: boolean
}

function KeyMinutes({ name, usage, minutes, zone, isTable }: MinutesProps) {
  const facts = useMemo(() => callPlot(minutes, zone), [usage, zone])
  if (isTable) return <MinuteTable name={name} minutes={minutes} zone={zone} />
  const sum = minutes.reduce(
    (all, { rest, mcp, refused }) => ({
      rest: all.rest + rest,
      mcp: all.mcp + mcp,
      refused: all.refused + refused,
    }),
    { rest: 0, mcp: 0, refused: 0 },
  )
  const valueOf = (place: number) => {
    const minute = minutes[place]
    return minute === undefined ? '' : `${clockIn(new Date(minute.at), zone)} · ${words.graph.valueOf(minute)}`
  }
  return (
    <Graph
      label={words.graph.minutesOf(name)}
      facts={facts}
      valueOf={valueOf}
      sum={`${words.graph.total} · ${words.graph.valueOf(sum)}`}
    />
  )
}

function Speed({ usage, minutes, zone }: Omit<MinutesProps, 'name' | 'isTable'>) {
  const facts = useMemo(() => speedPlot(minutes, zone), [usage, zone])
  const valueOf = (place: number) => {
    const minute = minutes[place]
    if (minute === undefined) return ''
    const value = minute.p95Ms === null ? words.graph.none : text.ms(minute.p95Ms)
    return `${clockIn(new Date(minute.at), zone)} · ${value}`
  }
  return <Graph label={text.parts.speed} facts={facts} valueOf={valueOf} sum={words.graph.slowestKey} />
}

function Legend() {
  return (
    <ul class="legend">
      <li class="rest">{words.graph.rest}</li>
      <li class="mcp">{words.graph.mcp}</li>
      <li class="refused">{words.graph.refused}</li>
      <li class="budget">{words.graph.budget(BUDGET)}</li>
    </ul>
  )
}
