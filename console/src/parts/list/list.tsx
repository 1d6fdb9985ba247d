// A list of the API: filters above, rows, paging by cursor, the choice of rows with what can be done to them, the keyboard.
// It never asks for a total, so it is as quick for a million rows as for ten.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { StorefrontError } from '../../../../clients/typescript/src/client.ts'
import { address, go } from '../../frame/address.ts'
import { firstPage, type Page } from '../../frame/first-page.ts'
import { useKeys } from '../../frame/keys.ts'
import { useLoad } from '../../frame/loading.ts'
import { useStore } from '../../frame/store.ts'
import { words } from '../../words/en.ts'
import { Empty, Shown } from '../state.tsx'
import { SeeHow } from '../see-how.tsx'
import { type BulkAction, BulkBar } from './bulk-bar.tsx'
import type { Choice } from './choice.ts'
import { ExportMenu, type ExportForm } from './export-menu.tsx'
import { exportPages } from './export-pages.ts'
import { FilterBar } from './filter-bar.tsx'
import { type Filter, isFiltered, readFilters, searchOf } from './filters.ts'
import { useFollow } from './follow.ts'
import { FollowLine, FollowSwitch } from './follow-line.tsx'
import { Pager } from './pager.tsx'
import { type Column, Table } from './table.tsx'
import { ViewsMenu } from './views-menu.tsx'
import type { Way } from './ways.ts'

type Query = Record<string, string>

export type ListConfig<Row> = {
  /** Names its files: `orders`. */
  name: string
  title: string
  /** The address of the list; that of a row is below it. */
  path: string
  zone: string
  filters: readonly Filter[]
  columns: readonly Column<Row>[]
  idOf(row: Row): string
  timeOf(row: Row): string | null
  /** Where a row leads, when that is not below the list. */
  hrefOf?(row: Row): string
  /** The pages of a query, newest first. */
  list(query: Query, signal?: AbortSignal): { pages(): AsyncIterableIterator<Page<Row>, void> }
  actions: readonly BulkAction<Row>[]
  exports: readonly ExportForm<Row>[]
  /** The pages that an export writes, where they hold more than those of the list. */
  exported?(query: Query, signal?: AbortSignal): { pages(): AsyncIterableIterator<Page<Row>, void> }
  ways(query: Query): readonly Way[]
  /** What the key `c` copies for a row. */
  curlOf(id: string): string
  /** Where there is nothing at all. */
  empty: { sentence: string; action?: ComponentChildren }
  /** Beside the title. */
  buttons?: ComponentChildren
  /** New rows can appear by themselves. */
  isFollowed?: boolean
  /** Between the title and the rows. */
  above?: ComponentChildren
  /** Another number loads the rows again. */
  version?: number
  /** Below the rows of a page. */
  note?(page: Page<Row>): ComponentChildren
}

type ListProps<Row> = {
  config: ListConfig<Row>
  /** The object that is open, and whether the list stands beside it. */
  openId: string | null
  /** A row that a call has changed. */
  changed: Row | null
  /** The id of a row that a call has removed. */
  gone?: string | null
}

const PAGE_ROWS = 50

export function List<Row>({ config, openId, changed, gone = null }: ListProps<Row>) {
  const { search } = useStore(address)
  const { path, filters, zone, idOf } = config
  const read = useMemo(() => readFilters(search, filters, zone, new Date()), [search, filters, zone])
  const asked = JSON.stringify([path, read.query, read.cursor, config.version])
  const page = useLoad<Page<Row>>(
    asked,
    (signal) => {
      const cursor: Query = read.cursor === null ? {} : { cursor: read.cursor }
      return firstPage(config.list({ ...read.query, ...cursor, limit: String(PAGE_ROWS) }, signal))
    },
    { keeps: true },
  )
  const filterKey = JSON.stringify([path, read.query])
  const [choice, setChoice] = useState<{ of: string; ids: Choice }>({ of: filterKey, ids: new Set<string>() })
  const chosen = choice.of === filterKey ? choice.ids : new Set<string>() // Other filters: another choice.
  const choose = (ids: Choice) => setChoice({ of: filterKey, ids })
  const whole = useRef<HTMLDivElement>(null)
  const [lostCursor, setLostCursor] = useState(false)

  useEffect(() => {
    // A cursor of another filter or of an older release: the first page instead, and a word about it.
    if (!(page.error instanceof StorefrontError) || page.error.param !== 'cursor' || read.cursor === null) return
    setLostCursor(true)
    go(location.pathname + searchOf(read.values, null), { replace: true, state: {} })
  }, [page.error])
  useEffect(() => {
    // The newest page, not the drawn one: a page that has come since then would be lost.
    if (changed === null) return
    const replaced = (row: Row) => (idOf(row) === idOf(changed) ? changed : row)
    page.change((shown) => ({ ...shown, data: shown.data.map(replaced) }))
  }, [changed])

  useEffect(() => {
    if (gone === null) return
    page.change((shown) => ({ ...shown, data: shown.data.filter((row) => idOf(row) !== gone) }))
  }, [gone])

  const rows = page.data?.data ?? []
  const said = lostCursor ? withCursorLost(read) : read
  const follow = useFollow<Row>(filterKey, {
    page: read.cursor === null && config.isFollowed === true ? page.data : null,
    idOf,
    load: (signal) => config.list({ ...read.query, limit: String(PAGE_ROWS) }, signal),
    put: page.put,
    isReading: chosen === 'all' || chosen.size > 0,
  })
  useKeys({
    j: { words: words.keys.next, act: () => focusRow(whole.current, 1) },
    k: { words: words.keys.previous, act: () => focusRow(whole.current, -1) },
    x: { words: words.keys.choose, act: () => toggleFocused(whole.current, chosen, choose) },
    c: { words: words.keys.curl, act: () => void copyCurl(whole.current, config, read.query) },
    r: { words: words.keys.reload, act: () => void page.reload() },
    ...(follow.isOn ? { f: { words: words.keys.follow, act: follow.show } } : {}),
  })
  const below = (row: Row) => `${path}/${encodeURIComponent(idOf(row))}${searchOf(read.values, read.cursor)}`
  return (
    <div class="list" ref={whole}>
      <div class="screen-head">
        <h1>{config.title}</h1>
        <div class="buttons">
          {config.buttons}
          {config.isFollowed === true && read.cursor === null && <FollowSwitch follow={follow} />}
          {filters.length > 0 && <ViewsMenu path={path + searchOf(read.values, null)} />}
          {config.exports.length > 0 && (
            <ExportMenu name={config.name} forms={config.exports} pages={() => exportPages(config, read.query)} />
          )}
          <SeeHow ways={config.ways(read.query)} />
        </div>
      </div>
      {(filters.length > 0 || said.leftOut.length > 0) && (
        <FilterBar path={path} filters={filters} read={said} zone={zone} />
      )}
      <FollowLine follow={follow} zone={zone} />
      {config.above}
      <Shown of={page} rows={12}>
        {(shown) =>
          shown.data.length === 0 ? (
            <NoRows config={config} isFiltered={isFiltered(read, filters) || read.cursor !== null} />
          ) : (
            <>
              <Table
                columns={config.columns}
                rows={shown.data}
                idOf={idOf}
                hrefOf={config.hrefOf ?? below}
                openId={openId}
                chosen={chosen}
                choose={choose}
                isBusy={page.isLoading}
                label={config.title}
                hasChoice={config.actions.length > 0}
              />
              <p class="note">{config.note?.(shown)}</p>
              <Pager
                values={read.values}
                cursor={read.cursor}
                next={shown.has_more ? shown.next_cursor : null}
                times={shown.data.map(config.timeOf).filter((at) => at !== null)}
                zone={zone}
              />
            </>
          )
        }
      </Shown>
      <BulkBar
        of={filterKey}
        name={config.name}
        actions={config.actions}
        rows={rows}
        idOf={idOf}
        chosen={chosen}
        choose={choose}
        hasMore={page.data?.has_more === true || read.cursor !== null}
        pages={(signal) => config.list(read.query, signal).pages()}
        done={() => void page.reload()}
      />
    </div>
  )
}

function NoRows<Row>({ config, isFiltered }: { config: ListConfig<Row>; isFiltered: boolean }) {
  if (!isFiltered) return <Empty sentence={config.empty.sentence}>{config.empty.action}</Empty>
  return (
    <Empty sentence={words.list.noMatch}>
      <a href={config.path}>{words.list.withoutFilters}</a>
    </Empty>
  )
}

function withCursorLost<Read extends { leftOut: readonly { name: string; value: string }[] }>(read: Read): Read {
  return { ...read, leftOut: [...read.leftOut, { name: 'cursor', value: '…' }] }
}

function links(whole: HTMLElement | null): HTMLElement[] {
  return [...(whole?.querySelectorAll<HTMLElement>('tr[data-id] th a') ?? [])]
}

// From the row in focus, else from the row of the open object, else the first.
function focusRow(whole: HTMLElement | null, step: number): void {
  const all = links(whole)
  const at = all.findIndex(
    (link) => link === document.activeElement || link.closest('tr')?.contains(document.activeElement),
  )
  const open = all.findIndex((link) => link.getAttribute('aria-current') === 'true')
  const from = at >= 0 ? at : open
  all[from < 0 ? 0 : Math.min(Math.max(from + step, 0), all.length - 1)]?.focus()
}

function focusedId(whole: HTMLElement | null): string | undefined {
  const row = document.activeElement?.closest('tr[data-id]')
  return row instanceof HTMLElement && whole?.contains(row) === true ? row.dataset.id : undefined
}

function toggleFocused(whole: HTMLElement | null, chosen: Choice, choose: (ids: Choice) => void): void {
  const id = focusedId(whole)
  if (id === undefined) return
  const next = new Set(chosen === 'all' ? [] : chosen)
  if (!next.delete(id)) next.add(id)
  choose(next)
}

async function copyCurl<Row>(whole: HTMLElement | null, config: ListConfig<Row>, query: Query): Promise<void> {
  const id = focusedId(whole)
  const text = id === undefined ? config.ways(query).find(({ name }) => name === 'curl')?.text : config.curlOf(id)
  await navigator.clipboard.writeText(text ?? '')
}
