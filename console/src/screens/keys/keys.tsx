// Keys: the list with the calls of the last hour, and one key beside it.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { useLoad } from '../../frame/loading.ts'
import { useMayChange } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { Minutes } from '../../parts/minutes.tsx'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { ScreenProps, Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { KeyDetail } from './key-detail.tsx'
import { type Key, MINUTES, minutesOf, stateOf, sumOf, toneOf, type Usage } from './key.ts'
import { NewKey } from './new-key.tsx'

const text = words.apiKeys
/** `/s/{shop}/keys/new` is the form of a new key. */
const NEW = 'new'
type KeyQuery = NonNullable<Parameters<typeof api.keys.list>[1]>

export function Keys({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [version, setVersion] = useState(0)
  // Refused or failed, the list stands without its bars.
  const usage = useLoad<Usage[]>(`usage ${shop.handle} ${version}`, (signal) =>
    api.usage.list(shop.handle, { minutes: MINUTES }, { signal }),
  )
  const config = useMemo(() => keysList(shop, usage.data, mayChange), [shop, usage.data, mayChange])
  const changed = useCallback(() => setVersion((before) => before + 1), [])
  return (
    <ListAndObject config={config} id={id} one={text.one} version={version}>
      {(open, place) =>
        open === NEW ? (
          <NewKey shop={shop} place={place} created={changed} />
        ) : (
          <KeyDetail key={open} shop={shop} id={open} mayChange={mayChange} place={place} changed={changed} />
        )
      }
    </ListAndObject>
  )
}

function keysList(shop: Shop, usage: readonly Usage[] | null, mayChange: boolean): ListConfig<Key> {
  const { handle, timeZone: zone } = shop
  const apiPath = `/shops/${handle}/keys`
  const path = `/s/${handle}/keys`
  const now = new Date()
  const create = mayChange ? (
    <a class="button" href={`${path}/${NEW}`}>
      {text.create}
    </a>
  ) : null
  return {
    name: 'keys',
    title: words.screens.keys,
    path,
    zone,
    filters: [],
    columns: [
      { label: text.columns.name, cell: ({ name }) => name },
      {
        label: text.columns.state,
        cell(key) {
          const state = stateOf(key, now)
          return <Status tone={toneOf(state)} word={text.states[state]} />
        },
      },
      { label: text.fields.access, cell: ({ access }) => access, isExtra: true },
      {
        label: text.fields.resources,
        cell: ({ resources }) => resources?.join(', ') ?? text.everything,
        isExtra: true,
      },
      {
        label: text.fields.sources,
        cell: ({ allowedSources }) => allowedSources?.join(', ') ?? text.anywhere,
        isExtra: true,
      },
      {
        label: text.fields.expires,
        cell: ({ expiresAt }) => (expiresAt === null ? text.never : <When at={expiresAt} zone={zone} />),
        isExtra: true,
      },
      {
        label: text.use,
        cell({ id }) {
          if (usage === null) return ''
          const minutes = minutesOf(usage, id, now)
          return <Minutes minutes={minutes} label={text.useOf(sumOf(minutes))} />
        },
        isNumber: true,
      },
      {
        label: text.columns.used,
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <When at={lastUsedAt} zone={zone} />),
        isNumber: true,
      },
    ],
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.keys.list(handle, query as KeyQuery, { signal }),
    actions: [],
    exports: [],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('keys list', handle, query),
    ],
    curlOf: () => asCurl(location.origin, { method: 'GET', path: apiPath }).text,
    empty: { sentence: mayChange ? text.empty : text.emptyToRead, action: create },
    buttons: create,
  }
}
