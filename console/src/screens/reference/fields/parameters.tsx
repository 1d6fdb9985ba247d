// The parameters of an operation with a field for each value. What is typed stands in the texts to copy and in the call.
import { words } from '../../../words/en.ts'
import type { Parameter } from '../documents.ts'
import { FieldWords } from './field-table.tsx'
import { boundsOf, type Schemas, typeOf } from './schema.ts'

type ParametersProps = {
  parameters: readonly Parameter[]
  schemas: Schemas
  values: Readonly<Record<string, string>>
  set: (name: string, value: string) => void
  /** Handles for the parameter `shop`. */
  shops: readonly string[]
}
const text = words.reference

export function Parameters({ parameters, schemas, values, set, shops }: ParametersProps) {
  return (
    <ul class="parameters">
      {parameters.map((parameter) => {
        const { name, description = '', required, schema } = parameter
        const place = parameter.in === 'query' ? [] : [parameter.in === 'path' ? text.inPath : text.header]
        return (
          <li key={name}>
            <div>
              <label for={`parameter-${name}`}>
                <code>{name}</code>
              </label>
              <FieldWords
                type={typeOf(schema, schemas)}
                bounds={[...place, ...boundsOf(schema, schemas)]}
                about={description}
                isRequired={required}
              />
            </div>
            {parameter.in !== 'header' && (
              <Value parameter={parameter} value={values[name] ?? ''} set={(value) => set(name, value)} shops={shops} />
            )}
          </li>
        )
      })}
    </ul>
  )
}

type ValueProps = { parameter: Parameter; value: string; set: (value: string) => void; shops: readonly string[] }

function Value({ parameter: { name, required, schema }, value, set, shops }: ValueProps) {
  const choices = name === 'shop' && shops.length > 0 ? shops : choicesOf(schema)
  const common = { id: `parameter-${name}`, value, required }
  if (choices === null) {
    return (
      <input
        {...common}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    )
  }
  return (
    <select {...common} onChange={({ currentTarget }) => set(currentTarget.value)}>
      {!required && <option value="">{text.choose}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  )
}

function choicesOf(schema: Parameter['schema']): readonly string[] | null {
  if (schema.type === 'boolean') return ['true', 'false']
  return Array.isArray(schema.enum) ? schema.enum.map(String) : null
}
