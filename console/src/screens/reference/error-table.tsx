// The refusals of an operation, each with a link to the page that explains its code.
import { pageFacts } from '../../frame/page-facts.ts'
import { words } from '../../words/en.ts'
import type { answersOf } from './documents.ts'
import { Prose } from './fields/prose.tsx'

const text = words.reference

export function ErrorTable({ answers }: { answers: ReturnType<typeof answersOf> }) {
  const rows = answers.flatMap(([status, { content }]) => {
    const examples = Object.entries(content?.['application/json']?.examples ?? {})
    return examples.map(([code, { value }]) => ({ status, code, message: messageOf(value) }))
  })
  if (rows.length === 0) return null
  return (
    <section aria-label={text.errors}>
      <h3>{text.errors}</h3>
      <table class="fields" aria-label={text.errors}>
        <thead>
          <tr>
            <th scope="col">{text.errorColumns.status}</th>
            <th scope="col">{text.errorColumns.code}</th>
            <th scope="col">{text.errorColumns.why}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ status, code, message }) => (
            <tr key={status + code}>
              <td class="number">{status}</td>
              <th scope="row">
                <a href={`${pageFacts.publicUrl}/docs/errors#${code}`}>
                  <code>{code}</code>
                </a>
              </th>
              <td>
                <Prose text={message} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function messageOf(value: unknown): string {
  return (value as { error?: { message?: string } }).error?.message ?? ''
}
