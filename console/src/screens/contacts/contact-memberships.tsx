// The memberships of a contact. The API has no filter for the member, so the newest are looked through, and more when asked.
import { useState } from 'preact/hooks'
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { useLoad } from '../../frame/loading.ts'
import { useMayChange } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import { MEMBER } from '../../parts/list/filters.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { Related } from '../../parts/object/related.tsx'
import { Problem } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { priceWords, statusTone } from '../memberships/membership.ts'

type Looked = { found: BackOfficeSchemas['Subscription'][]; looked: number; next: string | null }

const PAGES = 3
const ROWS = 100
const text = words.contacts

export function ContactMemberships({ shop, id }: { shop: Shop; id: string }) {
  const mayChange = useMayChange()
  const looked = useLoad<Looked>(`memberships of ${shop.handle} ${id}`, (signal) => look(shop.handle, id, null, signal))
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const further = async ({ found, looked: before, next }: Looked) => {
    setBusy(true)
    setError(null)
    try {
      const more = await look(shop.handle, id, next)
      looked.put({ found: [...found, ...more.found], looked: before + more.looked, next: more.next })
    } catch (reason) {
      setError(reason)
    }
    setBusy(false)
  }
  return (
    <Related
      title={text.memberships}
      of={looked}
      empty={({ looked: rows, next }) => (next === null ? text.none : text.noMemberships(rows))}
      lines={({ found }) =>
        found.map((membership) => ({
          key: membership.id,
          line: (
            <>
              <LinkTo name="memberships" shop={shop} id={membership.id}>
                {priceWords(membership)}
              </LinkTo>
              <Status tone={statusTone(membership)} word={membership.status} />
              {membership.startedAt !== null && <When at={membership.startedAt} zone={shop.timeZone} />}
            </>
          ),
        }))
      }
      more={(data) => (
        <>
          {error !== null && <Problem error={error} />}
          {(data.next !== null || mayChange) && (
            <div class="buttons">
              {data.next !== null && (
                <button type="button" aria-busy={isBusy} disabled={isBusy} onClick={() => void further(data)}>
                  {text.further}
                </button>
              )}
              {mayChange && (
                <a class="button" href={`/s/${shop.handle}/memberships/new?${MEMBER}=${id}`}>
                  {words.forms.membership.startedFor}
                </a>
              )}
            </div>
          )}
        </>
      )}
    />
  )
}

async function look(shop: string, id: string, from: string | null, signal?: AbortSignal): Promise<Looked> {
  const query = { limit: ROWS, ...(from === null ? {} : { cursor: from }) }
  const found: Looked['found'] = []
  let looked = 0
  let pages = 0
  for await (const { data, next_cursor } of api.subscriptions.list(shop, query, { signal }).pages()) {
    found.push(...data.filter(({ clientId }) => clientId === id))
    looked += data.length
    pages += 1
    if (pages === PAGES) return { found, looked, next: next_cursor }
  }
  return { found, looked, next: null }
}
