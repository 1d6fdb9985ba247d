// The calls of a key, or of an agent, by the minute.
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { Minutes } from '../../parts/minutes.tsx'
import { Shown } from '../../parts/state.tsx'
import { useNow, When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { BUDGET, MINUTES, minutesOf, sumOf } from './key.ts'

const text = words.apiKeys

/** `id`: of the key, or of the grant of the agent, whose rows have it in its place. */
export function KeyUse({ shop, id }: { shop: Shop; id: string }) {
  const usage = useLoad(`usage ${shop.handle}`, (signal) =>
    api.usage.list(shop.handle, { minutes: MINUTES }, { signal }),
  )
  const now = useNow()
  return (
    <section class="happened" aria-label={text.use}>
      <h3>{text.use}</h3>
      <Shown of={usage} rows={3}>
        {(rows) => {
          const minutes = minutesOf(rows, id, now)
          const said = text.useOf(sumOf(minutes))
          const newest = rows.filter(({ keyId }) => keyId === id).toReversed()
          return (
            <>
              <p>{said}</p>
              <Minutes minutes={minutes} label={said} budget={BUDGET} className="minutes-wide" />
              <p class="hint">{text.budget(BUDGET)}</p>
              {newest.length > 0 && (
                <table class="wide-list">
                  <thead>
                    <tr>
                      {[text.minute, text.calls, text.refused, text.failed, text.p95].map((head, index) => (
                        <th key={head} scope="col" class={index === 0 ? '' : 'number'}>
                          {head}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {newest.map((row) => (
                      <tr key={row.minute}>
                        <td>
                          <When at={row.minute} zone={shop.timeZone} />
                        </td>
                        <td class="number">{row.calls}</td>
                        <td class="number">{row.refused}</td>
                        <td class="number">{row.answers['4xx'] + row.answers['5xx']}</td>
                        <td class="number">{row.p95Ms === null ? '' : text.milliseconds(row.p95Ms)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </>
          )
        }}
      </Shown>
      <p class="links">
        <LinkTo name="requests" shop={shop} search={`?key=${id}`}>
          {text.itsRequests}
        </LinkTo>
      </p>
    </section>
  )
}
