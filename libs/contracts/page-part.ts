// What a service answers where a page is too large for one response (docs/spec/internals.md#page-parts).

/**
 * The first `rows` rows of a page, their documents joined by commas. Without rows and cursor it says only that the page is too large:
 * the caller then asks for parts. It reads the next part by the same action, with `next_cursor` and a limit that is lower by `rows`.
 */
export type PagePart = { documents: Buffer; rows: number; next_cursor: string | null }

export function isPagePart(response: unknown): response is PagePart {
  return typeof response === 'object' && response !== null && 'documents' in response && 'next_cursor' in response
}
