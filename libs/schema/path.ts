// A path in a table of routes, as the specification writes it: `/contacts/{id}/tags`.

/** The names between braces, in order. */
export function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}

/** The same path as the router takes it: `/contacts/:id/tags`. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
