// The fields of an object with their types, limits and words.
import { words } from '../../../words/en.ts'
import { Prose } from './prose.tsx'
import { type FieldRow, fieldRows, type Schema, type Schemas } from './schema.ts'

const text = words.reference

export function FieldTable({ schema, schemas, label }: { schema: Schema; schemas: Schemas; label: string }) {
  return (
    <table class="fields" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{text.field}</th>
          <th scope="col">{text.meaning}</th>
        </tr>
      </thead>
      <tbody>
        {fieldRows(schema, schemas).map((row, index) => (
          <tr key={index} class={`depth-${row.depth}`}>
            <th scope="row">
              <code>{row.name}</code>
            </th>
            <td>
              <FieldWords {...row} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function FieldWords({ type, bounds, about, isRequired }: Omit<FieldRow, 'name' | 'depth'>) {
  return (
    <>
      <p class="field-type">
        <span>{type}</span>
        {isRequired && <span class="tag">{text.required}</span>}
        {bounds.map((bound) => (
          <span key={bound}>{bound}</span>
        ))}
      </p>
      {about !== '' && (
        <p>
          <Prose text={about} />
        </p>
      )}
    </>
  )
}
