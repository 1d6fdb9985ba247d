// The stamps of a list: id and `updatedAt` of each row of a shop, in the order of the ids, so that a client can compare its copy
// (docs/spec/rest-api.md#list-stamps, docs/spec/sync.md#compare). A page is one index-only scan of the primary key of the table, which is
// (shop_id, id) and includes updated_at.
import { limits } from '#contracts/limits'
import type { Sql } from '#postgres/connect'
import { type CursorScope, openIdCursor, signIdCursor } from './cursor.ts'
import { filterText, pageBody, type PageParams } from './page.ts'

export type StampsParams = PageParams & { prefix?: string | undefined }
/** The list that a page is read from; `keys` sign its cursors. */
export type StampsOf = Pick<CursorScope, 'keys' | 'shopId'> & { table: 'orders' | 'products' | 'contacts' }
/** Ids from `first` to `last`; without the first one where `isBehind`. */
export type IdRange = { first: string; last: string; isBehind: boolean }

type Packed = { rows: number; documents: string | null; last: string | null }

/** The body of a page as bytes. Refuses invalid_request for a cursor that was not issued for this list and prefix. */
export async function stampsPage(db: Sql, { table, shopId, keys }: StampsOf, params: StampsParams): Promise<Buffer> {
  const { prefix = '', limit: wanted = limits.stampsDefault, cursor } = params
  const limit = Math.min(wanted, limits.stampsMax)
  const scope = { keys, resource: `${table}_stamps`, shopId, filter: filterText({ prefix }) }
  const after = cursor === undefined ? null : openIdCursor(cursor, scope)
  const range = { first: after ?? idFrom(prefix, '0'), last: idFrom(prefix, 'f'), isBehind: after !== null }
  const [page] = await packStamps(db, table, shopId, range, limit)
  const { rows = 0, documents = null, last = null } = page ?? {}
  return pageBody(
    documents === null ? [] : [documents],
    rows > limit && last !== null ? signIdCursor(last, scope) : null,
  )
}

/**
 * One row: up to `limit` stamps as JSON, joined by commas; `rows` is one more where further ones follow, and `last` the id of the
 * last stamp then. PostgreSQL joins them, which costs both sides less than one row for each.
 */
export function packStamps(db: Sql, table: StampsOf['table'], shopId: string, range: IdRange, limit: number) {
  return db.rows<Packed>(
    `select count(*)::integer as rows, min(id::text) filter (where place = $4) as last,
       string_agg('{"id":"' || id || '","updatedAt":"' || to_char(updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}', ',')
         filter (where place <= $4) as documents
     from (select id, updated_at at time zone 'UTC' as updated_at, row_number() over () as place from (
       select id, updated_at from ${table}
       where shop_id = $1 and id ${range.isBehind ? '>' : '>='} $2 and id <= $3 order by id limit $4 + 1) as page) as placed`,
    [shopId, range.first, range.last, limit],
  )
}

// The least or the largest id with the prefix.
function idFrom(prefix: string, digit: '0' | 'f'): string {
  const digits = (length: number) => digit.repeat(length)
  return [prefix.padEnd(8, digit), digits(4), digits(4), digits(4), digits(12)].join('-')
}
