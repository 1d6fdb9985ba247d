// The first page of a list of the API, or of what comes behind a cursor.

export type Page<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null }

export async function firstPage<Row>(list: { pages(): AsyncIterator<Page<Row>, void> }): Promise<Page<Row>> {
  const { value } = await list.pages().next()
  return value ?? { data: [], has_more: false, next_cursor: null }
}
