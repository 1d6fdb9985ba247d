// The problems of an import by kind, with the lines of the file, and all of them as CSV.
import { useState } from 'preact/hooks'
import { limits } from '#contracts/limits'
import { saveFile } from '../../parts/list/take-away.ts'
import { Status } from '../../parts/status.tsx'
import { words } from '../../words/en.ts'
import { groupsOf, type ImportProblem, type ProblemGroup, problemsCsv } from './problems.ts'
import type { Import } from './run.ts'

const { imports: text } = words
const SHOWN = 10

export function Problems({ of }: { of: Import }) {
  const { errors, id } = of
  if (errors.length === 0) return of.status === 'completed' ? <p class="soft">{text.noProblems}</p> : null
  const save = () => saveFile(new Blob([problemsCsv(errors)], { type: 'text/csv' }), `import-${id}-problems.csv`)
  return (
    <section class="problems" aria-label={text.problems}>
      <div class="object-name">
        <h3>{text.problems}</h3>
        <button type="button" onClick={save}>
          {text.download}
        </button>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">
              {text.problemColumns.line}
            </th>
            <th scope="col">{text.problemColumns.column}</th>
            <th scope="col">{text.problemColumns.problem}</th>
          </tr>
        </thead>
        {groupsOf(errors).map((group) => (
          <Group key={`${group.severity} ${group.code}`} group={group} />
        ))}
      </table>
      {errors.length >= limits.importErrorsShown && <p class="hint">{text.firstOnly(limits.importErrorsShown)}</p>}
    </section>
  )
}

function Group({ group: { code, severity, problems } }: { group: ProblemGroup }) {
  const [isWhole, setWhole] = useState(false)
  const isOfFile = severity === 'error' && problems[0]?.line === null
  const more = problems.length - SHOWN
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup" colSpan={3}>
          <Status tone={severity === 'error' ? 'warn' : 'wait'} word={text.severities[isOfFile ? 'file' : severity]} />{' '}
          <code>{code}</code> {!isOfFile && <span class="soft">{text.inRows(problems.length)}</span>}
        </th>
      </tr>
      {(isWhole ? problems : problems.slice(0, SHOWN)).map((problem, index) => (
        <Line key={index} problem={problem} />
      ))}
      {more > 0 && !isWhole && (
        <tr>
          <td colSpan={3}>
            <button type="button" class="link" onClick={() => setWhole(true)}>
              {text.showRows(more)}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  )
}

function Line({ problem: { line, column, message } }: { problem: ImportProblem }) {
  return (
    <tr>
      <td class="number">{line ?? text.wholeFile}</td>
      <td>{column}</td>
      <td>{message ?? text.redacted}</td>
    </tr>
  )
}
