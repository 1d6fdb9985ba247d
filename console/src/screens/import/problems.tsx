// The problems of an import by kind, with the lines of the file, and all of them as CSV.
import { useState } from 'preact/hooks'
import { adviceOf } from '#contracts/objects/import-advice'
import { Status } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'
import { causeOf, groupsOf, type ImportProblem, type ProblemGroup } from './problems.ts'
import type { Import } from './run.ts'

const { imports: text } = words
const SHOWN = 10

export function Problems({ of, shop }: { of: Import; shop: string }) {
  const { errors, id, problemCounts } = of
  if (errors.length === 0) return of.status === 'completed' ? <p class="soft">{text.noProblems}</p> : null
  const all = Object.values(problemCounts).reduce((sum, count) => sum + count, 0)
  const cause = causeOf(of)
  return (
    <section class="problems" aria-label={text.problems}>
      <div class="object-name">
        <h3>{text.problems}</h3>
        <a class="button" href={`/admin/v1/shops/${encodeURIComponent(shop)}/imports/${id}/errors`} download>
          {text.download}
        </a>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">
              {text.problemColumns.line}
            </th>
            <th scope="col">{text.problemColumns.key}</th>
            <th scope="col">{text.problemColumns.column}</th>
            <th scope="col">{text.problemColumns.problem}</th>
          </tr>
        </thead>
        {groupsOf(of).map((group) => (
          <Group key={`${group.severity} ${group.code}`} group={group} cause={cause} />
        ))}
      </table>
      {all > errors.length && <p class="hint">{text.firstOnly(errors.length, all)}</p>}
    </section>
  )
}

type GroupProps = { group: ProblemGroup; cause: ImportProblem | null }

/** `cause` is told above. */
function Group({ group: { code, severity, count, problems: all }, cause }: GroupProps) {
  const [isWhole, setWhole] = useState(false)
  const isOfFile = severity === 'error' && all[0]?.line === null
  const problems = all.filter((problem) => problem !== cause)
  const more = problems.length - SHOWN
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup" colSpan={4}>
          <Status tone={severity === 'error' ? 'warn' : 'wait'} word={text.severities[isOfFile ? 'file' : severity]} />{' '}
          <code>{code}</code> {!isOfFile && <span class="soft">{text.inRows(count)}</span>}
          <p class="advice">{adviceOf(code)}</p>
        </th>
      </tr>
      {(isWhole ? problems : problems.slice(0, SHOWN)).map((problem, index) => (
        <Line key={index} problem={problem} />
      ))}
      {more > 0 && !isWhole && (
        <tr>
          <td colSpan={4}>
            <button type="button" class="link" onClick={() => setWhole(true)}>
              {text.showRows(more)}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  )
}

function Line({ problem: { line, key, column, message } }: { problem: ImportProblem }) {
  return (
    <tr>
      <td class="number">{line ?? text.wholeFile}</td>
      <td>{key}</td>
      <td>{column}</td>
      <td>{message ?? text.redacted}</td>
    </tr>
  )
}
