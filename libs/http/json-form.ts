// Refuses JSON that is too deep, has a field twice, or has a field named `__proto__` (docs/spec/security.md#json), in one pass over the text
// before it is parsed. The parser refuses invalid JSON.
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'

/** Refuses invalid_request. Not recursive, so that no text can be too deep for it. */
export function checkJsonForm(text: string): void {
  const open: (Set<string> | null)[] = [] // One for each open bracket: the field names of an object so far, null for a list.
  let fieldNext = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      const fields = open.at(-1)
      if (fieldNext && fields) noteField(text.slice(at, end + 1), fields)
      fieldNext = false
      at = end
    } else if (character === '{' || character === '[') {
      if (open.length === limits.jsonDepthMax) {
        throw refuse('invalid_request', `The body is nested deeper than ${limits.jsonDepthMax} levels.`)
      }
      open.push(character === '{' ? new Set() : null)
      fieldNext = character === '{'
    } else if (character === '}' || character === ']') {
      open.pop()
      fieldNext = false
    } else if (character === ',') {
      fieldNext = open.at(-1) instanceof Set
    }
  }
}

function noteField(quoted: string, fields: Set<string>): void {
  const field = unquote(quoted)
  if (field === null) return
  if (field === '__proto__') throw refuse('invalid_request', 'The body has a field named __proto__.')
  if (fields.has(field)) throw refuse('invalid_request', `The body has the field ${JSON.stringify(field)} twice.`)
  fields.add(field)
}

/** Where the string that begins at `at` ends; the last index of the text when it does not. */
function endOfString(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return Math.min(end, text.length - 1)
}

function unquote(quoted: string): string | null {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    return null // Not JSON: the parser that comes after refuses it.
  }
}
