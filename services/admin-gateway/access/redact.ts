// Removes personal data from what an operator of the role support reads: names, emails, phones, addresses and notes are null, and
// each object that had such a field says `"redacted": true`. docs/spec/operators-and-roles.md#operators
import { personalFields } from '#contracts/objects/personal'

type Json = Record<string, unknown>

/** The body of an answer without personal data. `body` is JSON. */
export function redacted(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify(withoutPersons(JSON.parse(String(body)))))
}

function withoutPersons(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPersons)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutPersons(member)]))
  const fields = personalFields[String(copy.object)]
  if (fields === undefined) return copy
  for (const path of fields) clear(copy, path)
  return { ...copy, redacted: true }
}

// Sets the field to null where the object has it.
function clear(object: Json, path: string): void {
  const [name = '', inner] = path.split('.')
  const member = object[name]
  if (Array.isArray(member) && inner !== undefined) {
    for (const one of member) clear(one as Json, inner)
    return
  }
  if (inner === undefined) {
    if (name in object) object[name] = null
  } else if (typeof member === 'object' && member !== null) clear(member as Json, inner)
}
