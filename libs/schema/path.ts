// Owns the form of a path in a table of routes: `/contacts/{id}/tags`, as the specification writes it.

/** The names between braces, in their order. */
export function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}

/** The same path as the router takes it: `/contacts/:id/tags`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
