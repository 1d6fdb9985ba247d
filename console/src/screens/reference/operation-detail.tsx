// One operation of an API: what it does, its parameters and body, the call as texts and to try, its answer and its errors.
import { useState } from 'preact/hooks'
import { pageFacts } from '../../frame/page-facts.ts'
import { Fold } from '../../parts/fold.tsx'
import { Field } from '../../parts/form.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Texts } from '../../parts/secret/texts.tsx'
import { words } from '../../words/en.ts'
import { targetOf, waysOf } from './calls.ts'
import { answersOf, type Bundle, contentOf } from './documents.ts'
import { aboutOf, type OperationEntry } from './entries.ts'
import { ErrorTable } from './error-table.tsx'
import { FieldTable } from './fields/field-table.tsx'
import { Parameters } from './fields/parameters.tsx'
import { Prose } from './fields/prose.tsx'
import { RunHere } from './try/run-here.tsx'
import { fieldRows, sampleOf } from './fields/schema.ts'
import { type Trying, TryWithKey } from './try/with-key.tsx'

type OperationDetailProps = {
  entry: OperationEntry
  bundle: Bundle
  trying: Trying
  place: Place
}
const text = words.reference
const ROWS = '5' // Of a list that is tried.

export function OperationDetail({ entry, bundle, trying, place }: OperationDetailProps) {
  const { operation, document, method, path, group } = entry
  const { schemas } = document.components
  const answers = answersOf(operation, document)
  const success = contentOf(answers.find(([status]) => status.startsWith('2'))?.[1].content)
  const sent = operation.requestBody?.content['application/json']
  const hasFields = sent !== undefined && fieldRows(sent.schema, schemas).length > 0
  const [typed, setTyped] = useState<Record<string, string>>(() => {
    const isList = operation.parameters.some(({ name }) => name === 'limit')
    return Object.fromEntries(isList ? [['limit', ROWS]] : [])
  })
  const [body, setBody] = useState(() => {
    if (sent === undefined || !hasFields) return null
    const known = (success?.example as { data?: unknown } | undefined)?.data
    return JSON.stringify(sampleOf(sent.schema, schemas, known), null, 2)
  })
  const given = { values: { shop: trying.shop?.handle ?? '', ...typed }, body }
  const target = { publicUrl: pageFacts.publicUrl, officeUrl: location.origin, secret: trying.made?.secret ?? null }
  const isReadHere =
    group === 'office' && method === 'GET' && operation.responses['200'] !== undefined && !isStream(entry)
  const parameters = operation.parameters.length > 0 && (
    <section aria-label={text.parameters}>
      <h3>{text.parameters}</h3>
      <Parameters
        parameters={operation.parameters}
        schemas={schemas}
        values={given.values}
        set={(name, value) => setTyped({ ...typed, [name]: value })}
        shops={trying.shops.map(({ handle }) => handle)}
      />
    </section>
  )
  const call = (
    <section aria-label={text.call}>
      <h3>{text.call}</h3>
      <Texts texts={waysOf(entry, given, target, bundle)} label={text.call} />
    </section>
  )
  return (
    <>
      <ObjectHead name={titleOf(entry)} place={place}>
        <code class="method-line">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> {(document.servers[0]?.url ?? '') + path}
        </code>
      </ObjectHead>
      {aboutOf(entry) !== entry.title && (
        <p>
          <Prose text={aboutOf(entry)} />
        </p>
      )}
      {isReadHere ? (
        <RunHere path={targetOf(entry, given)}>
          {parameters}
          {call}
        </RunHere>
      ) : (
        <>
          {parameters}
          {operation.requestBody !== undefined && (hasFields || sent === undefined) && (
            <section aria-label={text.body}>
              <h3>{text.body}</h3>
              <p>{operation.requestBody.description}</p>
              {body !== null && sent !== undefined && (
                <>
                  <Field label={text.json}>
                    <textarea
                      rows={Math.min(body.split('\n').length + 1, 16)}
                      spellcheck={false}
                      value={body}
                      onInput={({ currentTarget }) => setBody(currentTarget.value)}
                    />
                  </Field>
                  <Fold summary={text.bodyFields} className="section">
                    {() => <FieldTable schema={sent.schema} schemas={schemas} label={text.bodyFields} />}
                  </Fold>
                </>
              )}
            </section>
          )}
          {call}
          {group === 'api' && <TryWithKey trying={trying} access={method === 'GET' ? 'read' : 'write'} />}
          {group === 'office' && method !== 'GET' && <p class="soft">{text.tryIt.change}</p>}
        </>
      )}
      {success !== undefined && (
        <section aria-label={text.answer}>
          <h3>{text.answer}</h3>
          {success.example !== undefined && <JsonView value={success.example} />}
          <Fold summary={text.answerFields} className="section">
            {() => <FieldTable schema={success.schema} schemas={schemas} label={text.answerFields} />}
          </Fold>
        </section>
      )}
      <ErrorTable answers={answers} />
    </>
  )
}

/** The name as a heading: a sentence loses its full stop. */
export function titleOf({ title }: { title: string }): string {
  return title.replace(/\.$/, '')
}

function isStream({ operation }: OperationEntry): boolean {
  return Object.values(operation.responses).some(
    (answer) => 'content' in answer && 'text/event-stream' in (answer.content ?? {}),
  )
}
