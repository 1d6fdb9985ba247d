// One MCP tool: its words, arguments and hints, an example call, and the operation that answers the same.
import { useState } from 'preact/hooks'
import { pageFacts } from '../../frame/page-facts.ts'
import { Field } from '../../parts/form.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Texts } from '../../parts/secret/texts.tsx'
import { words } from '../../words/en.ts'
import { waysOfTool } from './calls.ts'
import { answersOf, type Bundle, contentOf } from './documents.ts'
import type { ToolEntry } from './entries.ts'
import { FieldTable } from './fields/field-table.tsx'
import { Prose } from './fields/prose.tsx'
import { sampleOf, type Schema } from './fields/schema.ts'
import { type Trying, TryWithKey } from './try/with-key.tsx'

type ToolDetailProps = { entry: ToolEntry; bundle: Bundle; trying: Trying; place: Place }
const text = words.reference.tools
const ROWS = 5

export function ToolDetail({ entry, bundle, trying, place }: ToolDetailProps) {
  const { tool } = entry
  const [typed, setTyped] = useState(() => JSON.stringify(exampleArguments(entry, bundle), null, 2))
  const target = { publicUrl: pageFacts.publicUrl, officeUrl: location.origin, secret: trying.made?.secret ?? null }
  const takesNone = Object.keys((tool.inputSchema.properties ?? {}) as Schema).length === 0
  const hints = Object.entries(text.hints).map(([name, [no, yes]]) => (tool.annotations[name] === true ? yes : no))
  return (
    <>
      <ObjectHead name={entry.title} place={place}>
        <code>{tool.name}</code>
      </ObjectHead>
      <p>
        <Prose text={tool.description} />
      </p>
      <ul class="hints">
        {hints.map((hint) => (
          <li key={hint}>{hint}</li>
        ))}
      </ul>
      <section aria-label={text.arguments}>
        <h3>{text.arguments}</h3>
        {takesNone ? (
          <p>{text.noArguments}</p>
        ) : (
          <FieldTable schema={tool.inputSchema} schemas={{}} label={text.arguments} />
        )}
      </section>
      <section aria-label={text.call}>
        <h3>{text.call}</h3>
        {!takesNone && (
          <Field label={text.arguments}>
            <textarea
              rows={Math.min(typed.split('\n').length + 1, 12)}
              spellcheck={false}
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </Field>
        )}
        <Texts texts={waysOfTool(tool, typed, target)} label={text.call} />
      </section>
      <TryWithKey trying={trying} access={tool.annotations.readOnlyHint === true ? 'read' : 'write'} />
      <p>
        {text.answer}{' '}
        <a href={`/reference/${tool.operation}`}>
          <code>{tool.operation}</code>
        </a>
      </p>
    </>
  )
}

// What the answer of the same operation has under the names of the arguments; a few rows of a list.
function exampleArguments({ tool }: ToolEntry, { document }: Bundle): unknown {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const operation = operations.find(({ operationId }) => operationId === tool.operation)
  const [, answer] = (operation === undefined ? [] : answersOf(operation, document))[0] ?? []
  const { data } = (contentOf(answer?.content)?.example ?? {}) as { data?: unknown }
  const known = Array.isArray(data) ? {} : (data as object)
  return sampleOf(tool.inputSchema, {}, { ...known, limit: ROWS, add: [words.reference.bounds.samples.tag] })
}
