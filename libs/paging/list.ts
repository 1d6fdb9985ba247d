// The variable parts of a list's statement: optional conditions, the position of the cursor, and packing. The statement itself
// stands in the queries.ts of its service. docs/spec/rest-api.md#paging
import type { Sql } from '#postgres/connect'
import { type PageRequest, pageBody } from './page.ts'

export type Condition = [sql: string, ...values: unknown[]]
export type Conditions = { where: string; values: unknown[]; next(value: unknown): string }

/**
 * The conditions joined by `and`, with `?` for each value. null and a condition with an undefined value are left out. `next`
 * adds a value behind them and gives its placeholder.
 */
export function conditions(list: (Condition | null)[]): Conditions {
  const values: unknown[] = []
  const next = (value: unknown) => `$${values.push(value)}`
  const used = list.filter((one) => one !== null && one.slice(1).every((value) => value !== undefined)) as Condition[]
  const texts = used.map(([sql, ...given]) => {
    let index = 0
    return sql.replaceAll('?', () => next(given[index++]))
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
    ['created_at <= ?', filter.created_after && until],
    ['updated_at <= ?', filter.updated_after && until],
    ['created_at >= ?', filter.created_after],
    ['created_at < ?', filter.created_before],
    ['updated_at >= ?', filter.updated_after],
    ['updated_at < ?', filter.updated_before],
    // What changed before an instant was also created before it, so this bounds the range of the index as well.
    ['created_at < ?', filter.updated_before],
  ]
}

/**
 * A part of a packed page. `documents`: joined by commas. `rows`: how many, one more than shown in the last part where another
 * page follows. `created_at`, `id`: of the last row of a full page. `newest`: the newest stamp that the filter meets, also above
 * the upper bound of a first page; null where there is none.
 */
export type PagePart = {
  part: number
  documents: string | null
  rows: number
  created_at: Date | null
  id: string | null
  newest?: Date | null
}
/** `text` selects `document`, `created_at` and `id` of at most `rowsMax` rows of `table`, in the order of the list. */
export type ListStatement = { text: string; values: unknown[]; table: string; shopId: string; filter: TimeFilter }

const WHOLE_MAX = 50 // A longer page comes in parts: one text of hundreds of kilobytes costs more than it saves.
const ROWS_IN_PART = 25

/** The page in few rows: PostgreSQL joins the documents, which costs both sides less than one row for each. */
export function listPacked(db: Sql, page: PageRequest, statement: ListStatement): Promise<PagePart[]> {
  const { text, table, shopId, filter } = statement
  const values = [...statement.values]
  const next = (value: unknown) => `$${values.push(value)}`
  const parts = packed(text, page.limit, next(page.limit))
  if (page.until === undefined || page.after !== null) return db.rows(parts, values)
  const stamp = filter.updated_after === undefined ? 'created_at' : 'updated_at'
  return db.rows(
    `select ${partColumns}, newest from (select max(${stamp}) as newest from ${table} where shop_id = ${next(shopId)}) as whole
     left join (${parts}) as page on true`,
    values,
  )
}

const FEW = 500 // Bounds the rows that are sorted for one page.

/**
 * As `listPacked`. With `updated_after` and up to 500 changed rows it reads these by the index on (shop_id, updated_at) of
 * `table` and sorts them; the list's own order would lead through the whole shop. docs/spec/internals.md#changed-rows
 */
export async function listChangedPacked(db: Sql, page: PageRequest, statement: ListStatement): Promise<PagePart[]> {
  const { text, table, shopId, filter } = statement
  if (filter.updated_after === undefined) return listPacked(db, page, statement)
  const values = [...statement.values]
  const next = (value: unknown) => `$${values.push(value)}`
  const before = filter.updated_before === undefined ? '' : `and updated_at < ${next(filter.updated_before)}`
  // Inside the outer select the name of the table means the changed rows, one more than FEW where there are more.
  const few = await db.rows<PagePart & { changed: number }>(
    `with ${table} as materialized (
       select * from ${table} where shop_id = ${next(shopId)} and updated_at >= ${next(filter.updated_after)} ${before}
       order by updated_at desc limit ${FEW + 1})
     select ${partColumns}, newest, changed
     from (select count(*)::integer as changed, max(updated_at) as newest from ${table}) as counted
     left join (${packed(text, page.limit, next(page.limit))}) as page on true`,
    values,
  )
  const [first] = few
  return first !== undefined && first.changed <= FEW ? few : listPacked(db, page, statement)
}

const partColumns = 'coalesce(part, 0) as part, coalesce(page.rows, 0) as rows, documents, created_at, id'

/** `limitAt`: placeholder of the limit. Rows are numbered as they come, so nothing is sorted again. */
function packed(text: string, limit: number, limitAt: string): string {
  const isWhole = limit <= WHOLE_MAX
  const part = isWhole ? '0' : `least(place - 1, ${limitAt} - 1)::integer / ${ROWS_IN_PART}`
  const onLast = `filter (where place = ${limitAt})`
  return `select ${part} as part, count(*)::integer as rows,
      string_agg(document, ',') filter (where place <= ${limitAt}) as documents,
      min(created_at) ${onLast} as created_at, min(id::text) ${onLast} as id
    from (select document, created_at, id, row_number() over () as place from (${text}) as page) as placed
    ${isWhole ? '' : 'group by 1'}`
}

/** The newest stamp that the filter of a bounded first page meets; the beginning of time where it meets none. */
export function newestOf([first]: PagePart[]): Date {
  return first?.newest ?? new Date(0)
}

/** The body of the page, as `toPage` gives it. */
export function toPackedPage(parts: PagePart[], page: PageRequest): Buffer {
  const inOrder = parts.toSorted((one, other) => one.part - other.part)
  const { created_at: createdAt, id } = inOrder.at(-1) ?? { created_at: null, id: null }
  const hasMore = parts.reduce((sum, { rows }) => sum + rows, 0) > page.limit
  const last = hasMore && createdAt !== null && id !== null ? { createdAt, id } : null
  const documents = inOrder.map((part) => part.documents).filter((part) => part !== null)
  const isFinal = page.after !== null || page.until === undefined || newestOf(parts) <= page.until
  return pageBody(documents, last, page, isFinal)
}
