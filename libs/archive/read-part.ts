// Reads a part of a shop's archive, page by page in the order of its key. docs/spec/archives.md#rows
// A row with all that belongs to it is one line of JSON, which PostgreSQL renders, so the same rows always give the same bytes. One statement
// sees one state of the shop, so no line is half of an object.
import { ARCHIVED_EVENT_DAYS } from '#contracts/archive/parts'
import type { ColumnType, InnerRows, RowsFormat } from '#contracts/archive/rows'
import { limits } from '#contracts/limits'
import type { Sql } from '#postgres/sql'

/** Lines of JSON, and the key of the last row; null where there is no further row. */
export type ArchivePage = { body: Buffer; last: string | null }

const keyTypes: Partial<Record<ColumnType, string>> = { id: 'uuid', integer: 'bigint', bytes: 'bytea' }
const texts = new Map<RowsFormat, { first: string; next: string }>()

/** The rows behind that key, from the first one with null. A page holds one row at least and ends below `archivePageBytes`. */
export async function readPart(db: Sql, shopId: string, rows: RowsFormat, after: string | null): Promise<ArchivePage> {
  const { first, next } = textsOf(rows)
  if (rows.key === null && after !== null) return { body: Buffer.alloc(0), last: null }
  const values = [shopId, limits.archivePageRows, limits.archivePageBytes]
  const found = await db.rows<{ line: string; key: string }>(
    after === null ? first : next,
    after === null ? values : [...values, after],
  )
  return {
    body: Buffer.from(found.map(({ line }) => `${line}\n`).join('')),
    last: found.at(-1)?.key ?? null,
  }
}

/** How many rows of the part the shop has. */
export async function countPart(db: Sql, shopId: string, { table, key }: RowsFormat): Promise<number> {
  const id = table === 'shops' ? 'id' : 'shop_id'
  const [row] = await db.rows<{ count: number }>(
    `select count(*)::bigint as count from ${table} where ${id} = $1${recent({ table, key })}`,
    [shopId],
  )
  return row?.count ?? 0
}

function textsOf(rows: RowsFormat): { first: string; next: string } {
  let text = texts.get(rows)
  if (text === undefined) {
    text = { first: statement(rows, ''), next: statement(rows, behind(rows)) }
    texts.set(rows, text)
  }
  return text
}

function behind({ key, columns }: RowsFormat): string {
  const type = keyTypes[columns[key ?? ''] ?? 'id'] ?? 'text'
  return ` and ${key} > $4::${type}`
}

// The sum of the lengths ends a page; its first row is always there.
function statement(rows: RowsFormat, condition: string): string {
  const { table, key, columns, inner = {} } = rows
  const id = table === 'shops' ? 'id' : 'shop_id'
  const parts = [
    ...Object.keys(columns).map((name) => `r.${name}`),
    ...Object.entries(inner).map(([name, one]) => `(${innerRows(one)})::json as ${name}`),
  ]
  const order = key ?? id
  return `select line, key from (
      select line, key, row_number() over (order by sorted) as n, sum(octet_length(line)) over (order by sorted) as bytes
      from (
        select row_to_json(whole)::text as line, r.${order}::text as key, r.${order} as sorted
        from (select * from ${table} where ${id} = $1${recent(rows)}${condition} order by ${order} limit $2) r
        cross join lateral (select ${parts.join(', ')}) whole
      ) as lines
    ) as measured where n = 1 or bytes <= $3 order by n`
}

// The list as text: json_agg puts line feeds between its elements.
function innerRows({ table, of, through, order, columns }: InnerRows): string {
  const names = Object.keys(columns).map((name) => `i.${name}`)
  const sorted = order.map((name) => `i.${name}${columns[name] === 'text' ? ' collate "C"' : ''}`)
  const owner =
    through === undefined
      ? `i.${of} = r.id`
      : `i.${of} = any(array(select r.id union all
           select t.id from ${through.table} t where t.shop_id = r.shop_id and t.${through.of} = r.id))`
  return `select '[' || coalesce(string_agg(row_to_json(one)::text, ',' order by ${sorted.join(', ')}), '') || ']'
      from ${table} i cross join lateral (select ${names.join(', ')}) one where i.shop_id = r.shop_id and ${owner}`
}

function recent({ table }: Pick<RowsFormat, 'table' | 'key'>): string {
  return table === 'events' ? ` and happened_at > now() - interval '${ARCHIVED_EVENT_DAYS} days'` : ''
}
