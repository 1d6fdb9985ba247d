// One entry: who, from where, what became of it, and each changed field before and after.
import { useState } from 'preact/hooks'
import { address } from '../../frame/address.ts'
import { useLoad } from '../../frame/loading.ts'
import { session } from '../../frame/session.ts'
import { useStore } from '../../frame/store.ts'
import { Id } from '../../parts/copy.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { readFilters } from '../../parts/list/filters.ts'
import { Fact } from '../../parts/object/facts.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Empty, Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import { hrefOf } from '../../screens.ts'
import { words } from '../../words/en.ts'
import type { AuditScope } from './audit-list.tsx'
import { auditFilters, type Entry, outcomeOf, screenOfType, toneOf, valueWords } from './entry.ts'

type EntryDetailProps = { scope: AuditScope; id: string; place: Place }

const text = words.audit
/** The API has no call for one entry: it is sought from the page of the address on. */
const SOUGHT = 500
const PAGE = 100

export function EntryDetail({ scope, id, place }: EntryDetailProps) {
  const { search } = useStore(address)
  const [isJson, setJson] = useState(false)
  const { zone } = scope
  const entry = useLoad(`entry ${scope.path} ${id}`, async (signal) => {
    const { query, cursor } = readFilters(search, auditFilters, zone, new Date())
    const from: Record<string, string> = cursor === null ? {} : { cursor }
    let left = SOUGHT / PAGE
    for await (const { data } of scope.list({ ...query, ...from, limit: String(PAGE) }, signal).pages()) {
      const found = data.find((one) => one.id === id)
      if (found !== undefined) return { found }
      left -= 1
      if (left === 0) break
    }
    return { found: null }
  })
  return (
    <>
      {place.isAlone && entry.data === null && <h1>{text.one}</h1>}
      <Shown of={entry} rows={8}>
        {({ found }) =>
          found === null ? (
            <>
              <ObjectHead name={text.one} place={place} />
              <Empty sentence={text.missing} />
            </>
          ) : (
            <>
              <ObjectHead name={found.action} place={place} isJson={isJson} setJson={setJson}>
                <Status tone={toneOf(found)} word={outcomeOf(found)} />
                <When at={found.at} zone={zone} />
              </ObjectHead>
              {isJson ? <JsonView value={found} /> : <EntryFacts shop={scope.shop ?? found.shopId} entry={found} />}
            </>
          )
        }
      </Shown>
    </>
  )
}

/** `shop`: handle or id; null where the entry is about none. */
function EntryFacts({ shop, entry }: { shop: string | null; entry: Entry }) {
  const changes = Object.entries(entry.changes)
  return (
    <div class="facts">
      <dl>
        <Fact label={text.columns.who}>
          {entry.operator === null ? text.nobody : `${entry.operator.name} (${entry.operator.via})`}
        </Fact>
        <Fact label={text.columns.object}>
          <ObjectLink shop={shop} entry={entry} />
        </Fact>
        {entry.shopId !== null && (
          <Fact label={text.columns.shop}>
            <a href={`/s/${entry.shopId}`}>{shop === entry.shopId ? <Id id={entry.shopId} /> : shop}</a>
          </Fact>
        )}
        <Fact label={text.columns.source}>{entry.source}</Fact>
        <Fact label={text.call}>
          <code>
            {entry.method} {entry.route}
          </code>
        </Fact>
        {entry.requestId !== null && (
          <Fact label={words.problem.requestId}>
            <Id id={entry.requestId} />
          </Fact>
        )}
      </dl>
      {changes.length === 0 ? (
        <p class="soft">{text.unchanged}</p>
      ) : (
        <table class="wide-list">
          <thead>
            <tr>
              {[text.field, text.before, text.after].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changes.map(([field, [before, after]]) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{valueWords(before)}</td>
                <td>{valueWords(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

/** The object of an entry, as a link where there is a screen for it. */
export function ObjectLink({ shop, entry }: { shop: string | null; entry: Entry }) {
  const now = useStore(session)
  const { objectId, objectType } = entry
  if (objectId === null) return <>{objectType}</>
  const screen = screenOfType[objectType]
  const role = now.state === 'in' ? now.operator.role : ''
  const ofScreen = screen === undefined ? null : hrefOf(screen, shop, role, objectId)
  const href = objectType === 'shop' ? `/s/${objectId}` : ofScreen
  return href === null ? (
    <>
      {objectType} <Id id={objectId} />
    </>
  ) : (
    <>
      <a href={href}>{objectType}</a> <Id id={objectId} />
    </>
  )
}
