// The variable parts of a list's statement: optional conditions, the position of the cursor, and packing. The statement itself
// stands in the queries.ts of its service. docs/spec/rest-api.md#paging
import { limits } from '#contracts/limits'
import type { PageResult } from '#contracts/page-result'
import type { Database, Sql } from '#postgres/connect'
import { cursorBehind, type PageRequest, pageBody, utf8Of } from './page.ts'

export type Condition = [sql: string, ...values: unknown[]]
export type Conditions = { where: string; values: unknown[]; next(value: unknown): string }

/**
 * The conditions joined by `and`, with `?` for each value. null and a condition with an undefined value are left out. `next`
 * adds a value behind them and returns its placeholder.
 */
export function conditions(list: (Condition | null)[]): Conditions {
  const values: unknown[] = []
  const next = (value: unknown) => `$${values.push(value)}`
  const used = list.filter((one) => one !== null && one.slice(1).every((value) => value !== undefined)) as Condition[]
  const texts = used.map(([sql, ...replacements]) => {
    let index = 0
    return sql.replaceAll('?', () => next(replacements[index++]))
  })
  return { where: texts.join(' and '), values, next }
}

/** Rows behind the cursor, newest first; `columns` are the instant and the id that the list is ordered by. */
export function afterCursor(columns: string, { after }: PageRequest): Condition | null {
  return after === null ? null : [`(${columns}) < (?, ?)`, after.createdAt, after.id]
}

/** A filter with one or several values; null without any. Several are for `merged`, under the same name. */
export function anyOf(column: string, name: string, values: readonly string[] | undefined): Condition | null {
  if (values === undefined) return null
  return values.length === 1 ? [`${column} = ?`, values[0]] : [`${column} = wanted_${name}`]
}

type Merge = {
  filters: Record<string, readonly string[] | undefined>
  next: Conditions['next']
  order: string
  limitAt: string
}

/**
 * `text` for each combination of the values of its filters, in the order of the list. It reads at most `limitAt` rows of one
 * combination, by an index; so no more than that for each are sorted. The statement itself where no filter has several values.
 */
export function merged(text: string, { filters, next, order, limitAt }: Merge): string {
  const sources = Object.entries(filters)
    .filter(([, values]) => values !== undefined && values.length > 1)
    .map(([name, values]) => `unnest(${next(values)}::text[]) as wanted_${name}`)
  if (sources.length === 0) return text
  return `select page.* from ${sources.join(' cross join ')} cross join lateral (${text}) as page
    order by ${order} limit ${limitAt}`
}

type ChangeFilter = { updated_after?: Date | undefined; updated_before?: Date | undefined }
export type TimeFilter = ChangeFilter & { created_after?: Date | undefined; created_before?: Date | undefined }

/** docs/spec/rest-api.md#time-filters */
export function timeConditions(filter: TimeFilter, { until }: Pick<PageRequest, 'until'>): Condition[] {
  return [
    // Nearly every row meets the upper bound. Written this way, the planner expects that and uses no index for it.
    ['(created_at > ?) is not true', filter.created_after && until],
    ['(updated_at > ?) is not true', filter.updated_after && until],
    ['created_at >= ?', filter.created_after],
    ['created_at < ?', filter.created_before],
    ['updated_at >= ?', filter.updated_after],
    ['updated_at < ?', filter.updated_before],
    // What changed before an instant was also created before it, so this bounds the range of the index as well.
    ['created_at < ?', filter.updated_before],
  ]
}

/**
 * Rows of a page, numbered by `place` where they come in several groups. `documents`: of the `shown` ones, joined by commas. `rows`: one
 * more than there may be in the last group where another page follows. `created_at`, `id`: of the last row that is shown where it is the
 * last of a full page or of a part. `newest`: the newest stamp that the filter meets, also above the upper bound of a first page; null
 * where there is none.
 */
export type PackedRows = {
  place: number
  documents: string | null
  rows: number
  shown: number
  created_at: Date | null
  id: string | null
  newest?: Date | null
}
/** `text` selects `document`, `created_at` and `id` of at most `rowsMax` rows of `table`, in the order of the list. */
export type ListStatement = { text: string; values: unknown[]; table: string; shopId: string; filter: TimeFilter }

const WHOLE_MAX = 50 // A longer page comes in groups: one text of hundreds of kilobytes costs more than it saves.
const ROWS_IN_GROUP = 25

/** Where the page is read: a part of a large page takes a while, and must not hold up the small reads that share connections. */
export function readsFor(page: PageRequest, db: Sql & Pick<Database, 'reads'>): Sql {
  return page.size === 'part' ? db : db.reads
}

/** The page in few rows: PostgreSQL joins the documents, which costs both sides less than one row for each. */
export function listPacked(db: Sql, page: PageRequest, statement: ListStatement): Promise<PackedRows[]> {
  const { text, table, shopId, filter } = statement
  const values = [...statement.values]
  const next = (value: unknown) => `$${values.push(value)}`
  const groups = packed(text, page, next(page.limit))
  if (page.until === undefined || page.after !== null) return db.rows(groups, values)
  const stamp = filter.updated_after === undefined ? 'created_at' : 'updated_at'
  return db.rows(
    `select ${groupColumns}, newest from (select max(${stamp}) as newest from ${table} where shop_id = ${next(shopId)}) as whole
     left join (${groups}) as page on true`,
    values,
  )
}

const FEW = 500 // Bounds the rows that are sorted for one page.

/**
 * As `listPacked`. With `updated_after` and up to 500 changed rows it reads these by the index on (shop_id, updated_at) of
 * `table` and sorts them; the list's own order would lead through the whole shop. docs/spec/internals.md#changed-rows
 */
export async function listChangedPacked(db: Sql, page: PageRequest, statement: ListStatement): Promise<PackedRows[]> {
  const { text, table, shopId, filter } = statement
  if (filter.updated_after === undefined) return listPacked(db, page, statement)
  const values = [...statement.values]
  const next = (value: unknown) => `$${values.push(value)}`
  const before = filter.updated_before === undefined ? '' : `and updated_at < ${next(filter.updated_before)}`
  // Inside the outer select the name of the table means the changed rows, one more than FEW where there are more.
  const few = await db.rows<PackedRows & { changed: number }>(
    `with ${table} as materialized (
       select * from ${table} where shop_id = ${next(shopId)} and updated_at >= ${next(filter.updated_after)} ${before}
       order by updated_at desc limit ${FEW + 1})
     select ${groupColumns}, newest, changed
     from (select count(*)::integer as changed, max(updated_at) as newest from ${table}) as counted
     left join (${packed(text, page, next(page.limit))}) as page on true`,
    values,
  )
  const [first] = few
  return first !== undefined && first.changed <= FEW ? few : listPacked(db, page, statement)
}

const groupColumns =
  'coalesce(page.place, 0) as place, coalesce(page.rows, 0) as rows, coalesce(page.shown, 0) as shown, documents, created_at, id'

/**
 * `limitAt`: placeholder of the limit. Rows are numbered as they come, so nothing is sorted again. The length of a document is known
 * without reading it: of a page that is too large no document is read, and of a part only those that are shown.
 */
function packed(text: string, { limit, size = 'any' }: PageRequest, limitAt: string): string {
  const isPart = size === 'part'
  const isOneGroup = isPart || limit <= WHOLE_MAX
  const group = isOneGroup ? '0' : `least(place - 1, ${limitAt} - 1)::integer / ${ROWS_IN_GROUP}`
  const part = `bytes <= ${limits.pagePartBytes} or place = 1`
  const fits = { any: 'true', small: `bytes <= ${limits.pageWholeBytes}`, part }[size]
  const isLast = `place = ${limitAt}${isPart ? ` or bytes + next_bytes > ${limits.pagePartBytes}` : ''}`
  return `select ${group} as place, count(*)::integer as rows, count(document)::integer as shown,
      string_agg(document, ',') as documents,
      min(created_at) filter (where is_last) as created_at, min(id::text) filter (where is_last) as id
    from (
      select case when place <= ${limitAt} and (${fits}) then document end as document, created_at, id, place,
        (${fits}) and (${isLast}) as is_last
      from (
        select document, created_at, id, row_number() over so_far as place,
          sum(octet_length(document)) over so_far as bytes
          ${isPart ? ', lead(octet_length(document)) over so_far as next_bytes' : ''}
        from (${text}) as page window so_far as (${isPart ? 'rows unbounded preceding' : ''})) as measured) as placed
    ${isOneGroup ? '' : 'group by 1'}`
}

/** The newest stamp that the filter of a bounded first page meets; the beginning of time where it meets none. */
export function newestOf([first]: PackedRows[]): Date {
  return first?.newest ?? new Date(0)
}

/** The page as one body; a part where it has more than `pageWholeBytes`. */
export function toPackedPage(groups: PackedRows[], page: PageRequest): PageResult {
  const inOrder = groups.toSorted((one, other) => one.place - other.place)
  const sum = (count: 'rows' | 'shown') => inOrder.reduce((all, one) => all + one[count], 0)
  const [rows, shown] = [sum('rows'), sum('shown')]
  const { created_at: createdAt = null, id = null } = inOrder.findLast((one) => one.id !== null) ?? {}
  const hasMore = rows > shown && createdAt !== null && id !== null
  const next_cursor = hasMore ? cursorBehind({ createdAt, id }, page) : null
  const documents = inOrder.map((one) => one.documents).filter((one) => one !== null)
  // The query and its promises are in the engine's old generation when PostgreSQL answers, and would keep the texts long after this.
  for (const one of inOrder) one.documents = null
  if (shown < Math.min(rows, page.limit)) return { documents: utf8Of(documents.join(',')), rows: shown, next_cursor }
  // Rows above the watermark are counted by the version of the list, but not shown.
  const is_final = page.after !== null || page.until === undefined || newestOf(groups) <= page.until
  return { body: pageBody(documents, next_cursor), is_final }
}
