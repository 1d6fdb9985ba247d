// What the action of a list answers besides plain bytes: a whole page, a part of a page that is too large for one response
// (docs/spec/internals.md#page-parts), or a page of the event log.

/**
 * A page as one body. `is_final`: the page shows every row that the version of its list counts, so it may be cached under that version. A page
 * that lacks rows because of the watermark is not final (docs/spec/sync.md#watermark).
 */
export type WholePage = { body: Buffer; is_final: boolean }

/**
 * The first `rows` rows of a page, their documents joined by commas. Without rows and cursor it says only that the page is too large:
 * the caller then asks for parts. It reads the next part by the same action, with `next_cursor` and a limit that is lower by `rows`.
 */
export type PagePart = { documents: Buffer; rows: number; next_cursor: string | null }

export type PageResult = WholePage | PagePart

/** A page of the event log; `rows` is the number of its events. */
export type FeedPage = { body: Buffer; rows: number }

export function isWholePage(response: unknown): response is WholePage {
  return typeof response === 'object' && response !== null && 'body' in response && 'is_final' in response
}

export function isPagePart(response: unknown): response is PagePart {
  return typeof response === 'object' && response !== null && 'documents' in response && 'next_cursor' in response
}
