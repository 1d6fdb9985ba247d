// The rows of an export, page by page; each as a whole where its list leaves something out.
import type { Page } from '../../frame/first-page.ts'
import { AT_ONCE } from './act-on-many.ts'

type Query = Record<string, string>
type Source<Row> = {
  list(query: Query, signal?: AbortSignal): { pages(): AsyncIterableIterator<Page<Row>, void> }
  whole?(row: Row): Promise<Row>
}

/** Throws the reason of the signal once that is aborted. */
export async function* exportPages<Row>(
  { list, whole }: Source<Row>,
  query: Query,
  signal?: AbortSignal,
): AsyncGenerator<{ data: Row[] }> {
  for await (const { data } of list(query, signal).pages()) {
    if (whole === undefined) yield { data }
    else
      for (let at = 0; at < data.length; at += AT_ONCE) {
        signal?.throwIfAborted()
        yield { data: await Promise.all(data.slice(at, at + AT_ONCE).map((row) => whole(row))) }
      }
  }
}
