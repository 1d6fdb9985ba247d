// Names of the API as Python writes them. docs/spec/clients.md#python-client

const keywords = ['from', 'import', 'class', 'def', 'global', 'in', 'is', 'pass', 'return', 'with', 'async', 'await']

/** The name, with `_` behind a keyword of Python. */
export function pythonName(name: string): string {
  return keywords.includes(name) ? `${name}_` : name
}

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_')
}

export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}
