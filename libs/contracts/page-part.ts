// What a service answers where a page is too large for one response: its first rows (docs/spec/internals.md#page-parts).

/**
 * The first `rows` rows of a page, their documents joined by commas; none where a part was not asked for. The caller reads the others by
 * the same action as a part, with `next_cursor` where there is one and a limit that is lower by `rows`.
 */
export type PagePart = { documents: Buffer; rows: number; next_cursor: string | null }

export function isPagePart(response: unknown): response is PagePart {
  return typeof response === 'object' && response !== null && 'documents' in response && 'next_cursor' in response
}
