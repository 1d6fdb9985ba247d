// GET /shops/{shop}/imports/{id}/errors: every problem of an import as CSV, read from auth while it is sent (docs/spec/imports.md#problems).
import type { Calls } from '#calls/calls'
import type { StoredProblem } from '#contracts/actions/imports'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import { adviceOf } from '#contracts/objects/import-advice'
import { csvLine, guarded } from '#export/csv'
import type { GatewayContext } from '#http/exchange'
import { answerInParts } from '#http/large-answer'
import type { SlowReaders } from '#http/slow-readers'

const COLUMNS = ['line', 'object', 'code', 'column', 'value', 'advice']

/** Answers with the file. `isRedacted`: without what may name a person. */
export async function answerProblems(
  ctx: GatewayContext,
  { calls: { read }, readers }: { calls: Pick<Calls, 'read'>; readers: SlowReaders },
  { id, isRedacted }: { id: string; isRedacted: boolean },
  meta: CallMeta,
): Promise<void> {
  const pageAfter = async (last: { line: number; number: number }) => {
    const params = { id, after_line: last.line, after_number: last.number }
    return ((await read('imports.problems', params, meta)) as { problems: StoredProblem[] }).problems
  }
  const first = await pageAfter({ line: -1, number: -1 }) // Refuses before anything is sent.
  async function* parts() {
    yield Buffer.from(csvLine(COLUMNS))
    for (let page = first; page.length > 0; ) {
      yield Buffer.from(page.map((problem) => lineOf(problem, isRedacted)).join(''))
      const last = page.at(-1)
      page = last === undefined || page.length < limits.importProblemsAtOnce ? [] : await pageAfter(last)
    }
  }
  ctx.set({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="import-${id}-problems.csv"`,
  })
  answerInParts(ctx, parts(), readers)
}

function lineOf({ line, key, code, column, value }: StoredProblem, isRedacted: boolean): string {
  const [shownObject, shownValue] = isRedacted ? [null, null] : [key, value]
  const texts = [shownObject, code, column, shownValue, adviceOf(code)]
  return csvLine([line === 0 ? null : line, ...texts.map((text) => (text === null ? null : guarded(text)))])
}
