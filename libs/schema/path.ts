// A path in a table of routes, as the specification writes it: `/contacts/{id}/tags`.

/** The names between braces, in order. */
export function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}

/** The same path with values in place of the names, in lower case. */
export function filledPath(path: string, valueOf: (name: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => valueOf(name).toLowerCase())
}

/** The same path as the router takes it: `/contacts/:id/tags`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
