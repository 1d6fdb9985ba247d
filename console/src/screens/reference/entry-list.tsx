// The list of the reference: a filter, what kind of entries it shows, and the entries by group and section.
import { useEffect, useRef } from 'preact/hooks'
import { useKeys } from '../../frame/keys.ts'
import { Empty, Waiting } from '../../parts/state.tsx'
import { words } from '../../words/en.ts'
import { type Entry, filtered, type Group, groups } from './entries.ts'

type EntryListProps = {
  entries: readonly Entry[]
  openId: string | null
  filter: string
  group: Group | null
  /** With its `?`; stays in the links. */
  search: string
  /** Not all entries are there yet. */
  isWaiting: boolean
  setFilter: (filter: string) => void
  setGroup: (group: Group | null) => void
}
const text = words.reference

export function EntryList({ entries, openId, filter, group, search, isWaiting, setFilter, setGroup }: EntryListProps) {
  const shown = filtered(entries, filter, group)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLElement>(null)
  useKeys({ '/': { words: text.filterKey, act: () => input.current?.focus() } })
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [openId, entries.length])
  return (
    <>
      <div class="reference-filter">
        <input
          ref={input}
          type="search"
          aria-label={text.filter}
          placeholder={text.filterHint}
          spellcheck={false}
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <div class="tabs" role="group" aria-label={text.groupsLabel}>
          <button type="button" aria-pressed={group === null} onClick={() => setGroup(null)}>
            {text.allGroups}
          </button>
          {groups.map((name) => (
            <button type="button" key={name} aria-pressed={group === name} onClick={() => setGroup(name)}>
              {text.groups[name]}
            </button>
          ))}
        </div>
      </div>
      {shown.length === 0 && isWaiting && <Waiting />}
      {shown.length === 0 && !isWaiting && (
        <Empty sentence={text.noMatch}>
          <button
            type="button"
            onClick={() => {
              setFilter('')
              setGroup(null)
            }}
          >
            {text.showAll}
          </button>
        </Empty>
      )}
      <nav class="entries" aria-label={text.entries} ref={list}>
        {groups
          .map((name) => [name, shown.filter((entry) => entry.group === name)] as const)
          .filter(([, own]) => own.length > 0)
          .map(([name, own]) => (
            <section key={name}>
              <h2>{text.groups[name]}</h2>
              {[...Map.groupBy(own, ({ section }) => section)].map(([section, rows]) => (
                <section key={section}>
                  <h3>{section}</h3>
                  <ul>
                    {rows.map((entry) => (
                      <li key={entry.id}>
                        <a
                          href={`/reference/${entry.id}${search}`}
                          aria-current={entry.id === openId ? 'page' : undefined}
                          title={entry.line}
                        >
                          <Line entry={entry} />
                        </a>
                      </li>
                    ))}
                  </ul>
                </section>
              ))}
            </section>
          ))}
      </nav>
    </>
  )
}

// Nearly all paths of the back office begin with the shop.
function Line({ entry }: { entry: Entry }) {
  if (entry.kind !== 'operation') return <code>{entry.line}</code>
  return (
    <code>
      <span class={`method ${entry.method.toLowerCase()}`}>{entry.method}</span>{' '}
      {entry.path.replace(/^\/shops\/\{shop\}\//, '…/')}
    </code>
  )
}
