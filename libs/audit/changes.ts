// What a change did to the visible fields of an object, for its audit entry. docs/spec/audit.md
import { unrecordedFields } from '#contracts/objects/personal'

/** A published object, or its JSON. It holds no secret: the answers that show one add it to the object. */
export type Shown = object | string
/** [before, after] by field; a field inside a part of the object has a path, such as `address.city`. */
export type Changes = Record<string, [before: unknown, after: unknown]>

// The entry says itself what changed and when.
const ownFields = ['id', 'object', 'createdAt', 'updatedAt']
const HIDDEN = '…'
const SHOWN_MAX = 1_000 // Characters of JSON: an entry is a row of a list, and an order may have 1,000 items.

/** The fields that differ; null stands for an object that did not exist before or exists no longer. */
export function changesOf(before: Json | null, after: Json | null): Changes {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  const personal = unrecordedFields[String((after ?? before)?.object)] ?? []
  const changes: Changes = {}
  for (const field of new Set([...old.keys(), ...now.keys()])) {
    const pair = [old.get(field) ?? null, now.get(field) ?? null] as const
    if (JSON.stringify(pair[0]) === JSON.stringify(pair[1])) continue
    const isPersonal = personal.some((path) => field === path || field.startsWith(`${path}.`))
    const [from, to] = pair.map((value) => (value !== null && (isPersonal || isLong(value)) ? HIDDEN : value))
    changes[field] = [from, to]
  }
  return changes
}

type Json = Record<string, unknown>
type Fields = Map<string, unknown>

/** The object that is shown, or null. */
export function parsed(shown: Shown | null): Json | null {
  return (typeof shown === 'string' ? JSON.parse(shown) : shown) as Json | null
}

function fieldsOf(object: Json | null): Fields {
  const fields: Fields = new Map()
  for (const [name, value] of Object.entries(object ?? {})) {
    if (!ownFields.includes(name)) addField(fields, name, value)
  }
  return fields
}

// Money is its cents: the currency of a shop never changes.
function addField(fields: Fields, path: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fields.set(path, value)
  else if ('cents' in value) fields.set(path, value.cents)
  else for (const [name, member] of Object.entries(value)) addField(fields, `${path}.${name}`, member)
}

function isLong(value: unknown): boolean {
  return JSON.stringify(value).length > SHOWN_MAX
}
