// The choice of rows of a list.
import { MANY_MAX } from './act-on-many.ts'

/** Ids, or all that match the filters. */
export type Choice = ReadonlySet<string> | 'all'

/** The rows of all pages, at most as many as one choice may cover. */
export async function* rowsOf<Row>(pages: AsyncIterable<{ data: Row[] }>): AsyncGenerator<Row> {
  let left = MANY_MAX
  for await (const { data } of pages) {
    for (const row of data) {
      if (left === 0) return
      left -= 1
      yield row
    }
  }
}
