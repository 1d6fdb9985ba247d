// Pages under an `_after` filter show nothing above the watermark of their list. docs/spec/sync.md#watermark
//
// A first page reads the watermark, the later pages of the walk find it in their cursor. A watermark stays true for ever: a process
// remembers the last one of each shop, and while the newest stamp of the list is not above it, a page under it lacks nothing and
// needs no other. Where changes come faster than polls that guess would only cost a statement, so it is made after a quiet poll only.
import { limits } from '#contracts/limits'
import type { PageResult } from '#contracts/page-result'
import type { Sql } from '#postgres/connect'
import { readWatermark } from '#postgres/watermark'
import { newestOf, type PackedRows, type TimeFilter, toPackedPage } from './list.ts'
import type { PageRequest } from './page.ts'

/** Returns the page or a part of it; `list` reads its rows, at most up to `until`. */
export type BoundedPages = (
  filter: TimeFilter,
  page: PageRequest,
  list: (page: PageRequest) => Promise<PackedRows[]>,
) => Promise<PageResult>

/** The pages of one service's list. */
export function openBoundedPages(db: Sql): BoundedPages {
  const known = new Map<string, { until: Date; wasQuiet: boolean }>() // Read least recently first.

  return async (filter, page, list) => {
    const isBounded = filter.created_after !== undefined || filter.updated_after !== undefined
    if (!isBounded || page.until !== undefined) return toPackedPage(await list(page), page)
    const { shopId } = page.scope
    const last = known.get(shopId)
    if (last?.wasQuiet === true) {
      const bounded = { ...page, until: last.until }
      const parts = await list(bounded)
      if (newestOf(parts) <= last.until) return toPackedPage(parts, bounded)
    }
    const bounded = { ...page, until: await readWatermark(db, shopId) }
    const parts = await list(bounded)
    known.delete(shopId)
    known.set(shopId, { until: bounded.until, wasQuiet: last === undefined || newestOf(parts) <= last.until })
    const [oldest = ''] = known.keys()
    if (known.size > limits.watermarksKept) known.delete(oldest)
    return toPackedPage(parts, bounded)
  }
}
