// Owns the page of what has changed since an instant, which integrations ask for all day and which is mostly short. A list is
// walked in its own order, and where few rows have changed that would be a walk through the whole shop: few are therefore
// found by the index of their changes and put in order; many are met soon on the ordinary walk. Spec: Paging rules.
import type { Sql } from '#postgres/connect'
import { type PagePart, packed } from './packed-page.ts'
import type { Want } from './page.ts'

const FEW = 500 // Rows that are put in order for one page: a bound on the work of each.

export type ChangedList = {
  /** Has an index on (shop_id, updated_at). */
  table: string
  shopId: string
  filter: { updated_after?: Date | undefined; updated_before?: Date | undefined }
  want: Want
  /** Its conditions, with their values. */
  list: { values: unknown[]; next(value: unknown): string }
  /** The select of the page from these rows, `most` of them at most. */
  pageOf(rows: string, most: string): string
}

/** The parts of a page of the list. */
export async function listChanged(
  db: Sql,
  { table, shopId, filter, want, list, pageOf }: ChangedList,
): Promise<PagePart[]> {
  const [most, limitAt] = [list.next(want.rowsMax), list.next(want.limit)]
  const page = (rows: string) => packed(pageOf(rows, most), want.limit, limitAt)
  if (filter.updated_after !== undefined) {
    const values = [...list.values]
    const next = (value: unknown) => `$${values.push(value)}`
    const before = filter.updated_before === undefined ? '' : `and updated_at < ${next(filter.updated_before)}`
    // One more than few tells that there are many: then this is no answer.
    const few = await db.rows<PagePart & { changed: number }>(
      `with changed as materialized (
         select * from ${table} where shop_id = ${next(shopId)} and updated_at >= ${next(filter.updated_after)} ${before}
         order by updated_at desc limit ${FEW + 1})
       select coalesce(page.part, 0) as part, coalesce(page.rows, 0) as rows, documents, created_at, id, changed
       from (select count(*)::integer as changed from changed) as counted left join (${page('changed')}) as page on true`,
      values,
    )
    const [first] = few
    if (first !== undefined && first.changed <= FEW) return few
  }
  return db.rows(page(table), list.values)
}
