// The rows of an export, page by page.
import type { Page } from '../../frame/first-page.ts'

type Query = Record<string, string>
type Pages<Row> = (query: Query, signal?: AbortSignal) => { pages(): AsyncIterableIterator<Page<Row>, void> }
type Source<Row> = { list: Pages<Row>; exported?: Pages<Row> }

/** Throws the reason of the signal once that is aborted. */
export async function* exportPages<Row>(
  { list, exported = list }: Source<Row>,
  query: Query,
  signal?: AbortSignal,
): AsyncGenerator<{ data: Row[] }> {
  for await (const { data } of exported(query, signal).pages()) {
    signal?.throwIfAborted()
    yield { data }
  }
}
