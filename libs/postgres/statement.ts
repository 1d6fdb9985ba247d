// Statements as the driver takes them: each text is prepared once a connection, under a name of its own.
import type pg from 'pg'

const names = new Map<string, string>()

export function named(text: string, values: unknown[] = []): pg.QueryConfig {
  return { name: nameOf(text), text, values }
}

// Statement texts are constants of the code, so this map is bounded by the code.
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `s${names.size + 1}`
    names.set(text, name)
  }
  return name
}
