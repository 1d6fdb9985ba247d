// Pages under an `_after` filter show nothing above the watermark of their list. docs/spec/integrators.md#watermark
//
// A first page reads its watermark in its own statement (watermark.ts), the later pages of the walk find it in their cursor. A watermark
// stays true for ever: a process remembers the last one of each shop, and while no stamp of the list is above it, that one is enough.
import { limits } from '#contracts/limits'
import type { PagePart } from '#contracts/page-part'
import type { Sql } from '#postgres/connect'
import { readWatermark } from '#postgres/watermark'
import { type PackedRows, type TimeFilter, toPackedPage } from './list.ts'
import type { PageRequest } from './page.ts'

/** Gives the body of a page; `list` reads its rows. */
export type BoundedPages = (
  filter: TimeFilter,
  page: PageRequest,
  list: (page: PageRequest) => Promise<PackedRows[]>,
) => Promise<Buffer | PagePart>

/** The pages of one service's list. */
export function openBoundedPages(db: Sql): BoundedPages {
  const known = new Map<string, Date>() // Read least recently first.

  return async (filter, page, list) => {
    const isBounded = filter.created_after !== undefined || filter.updated_after !== undefined
    const { until, scope } = page
    if (!isBounded || until instanceof Date)
      return toPackedPage(await list(page), page, until instanceof Date ? until : undefined)
    const last = known.get(scope.shopId) ?? new Date(0)
    const first = await list({ ...page, until: { known: last } })
    const found = first[0]?.until ?? null
    // None where a change ended while the statement ran: it is unknown whether the page has its rows.
    const bound = found ?? (await readWatermark(db, scope.shopId, last))
    known.delete(scope.shopId)
    known.set(scope.shopId, bound)
    const [oldest = ''] = known.keys()
    if (known.size > limits.watermarksKept) known.delete(oldest)
    return toPackedPage(found === null ? await list({ ...page, until: bound }) : first, page, bound)
  }
}
