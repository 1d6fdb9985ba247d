// The minutes of a key as a table, newest first, and their sum. A minute without a call has no row.
import { clockIn } from '../../parts/time.ts'
import { words } from '../../words/en.ts'
import type { CallMinute } from './numbers.ts'

const text = words.graph

export function MinuteTable({ name, minutes, zone }: { name: string; minutes: readonly CallMinute[]; zone: string }) {
  const used = minutes.filter(({ rest, mcp }) => rest + mcp > 0).toReversed()
  const sum = (pick: (minute: CallMinute) => number) => shown(used.reduce((total, one) => total + pick(one), 0))
  const heads = [text.rest, text.mcp, text.over, text.p95]
  return (
    <div class="minute-table" role="region" tabIndex={0} aria-label={text.minutesOf(name)}>
      <table class="wide-list" aria-label={text.minutesOf(name)}>
        <thead>
          <tr>
            <th scope="col">{text.minute}</th>
            {heads.map((head) => (
              <th key={head} scope="col" class="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr class="whole">
            <th scope="row">{text.total}</th>
            <td class="number">{sum(({ rest }) => rest)}</td>
            <td class="number">{sum(({ mcp }) => mcp)}</td>
            <td class="number">{sum(({ refused }) => refused)}</td>
            <td />
          </tr>
          {used.map(({ at, rest, mcp, refused, p95Ms }) => (
            <tr key={at}>
              <th scope="row">
                <time dateTime={new Date(at).toISOString()} title={new Date(at).toISOString()}>
                  {clockIn(new Date(at), zone)}
                </time>
              </th>
              <td class="number">{shown(rest)}</td>
              <td class="number">{shown(mcp)}</td>
              <td class="number">{shown(refused)}</td>
              <td class="number">{p95Ms === null ? '' : words.overview.ms(p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function shown(number: number): string {
  return number.toLocaleString(words.locale)
}
