// Writes what the TypeScript client has from the OpenAPI documents: its types, made by openapi-typescript, and the table of its methods.
// docs/spec/clients.md#typescript-client
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Document, documents, methodsOf } from './reduced.ts'

const root = join(import.meta.dirname, '../..')
const CLIENT = 'clients/typescript'
const HEAD = '// Made of the OpenAPI documents by `npm run generate`; changes by hand are lost.\n'

/** Each generated file with its text. Installs the generator where it is missing. */
export function typescriptFiles(): { path: string; text: string }[] {
  const at = `${CLIENT}/src/generated`
  const both = documents()
  return [
    ...Object.entries(both).map(([name, document]) => ({ path: `${at}/${name}.ts`, text: HEAD + typesOf(document) })),
    {
      path: `${at}/operations.ts`,
      text: HEAD + tableOf('storefront', both.storefront) + tableOf('backOffice', both['back-office']),
    },
  ]
}

function typesOf(document: Document): string {
  const home = join(root, CLIENT)
  const program = join(home, 'node_modules/openapi-typescript/bin/cli.js')
  if (!existsSync(program)) execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: home })
  const folder = mkdtempSync(join(tmpdir(), 'storefront-types-'))
  try {
    writeFileSync(join(folder, 'document.json'), JSON.stringify(document))
    execFileSync(process.execPath, [program, 'document.json', '--output', 'types.ts'], { cwd: folder, stdio: 'pipe' })
    return readFileSync(join(folder, 'types.ts'), 'utf8').replaceAll(/^ +\w+\?: never;\n/gm, '')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function tableOf(name: string, document: Document): string {
  const nouns = Map.groupBy(methodsOf(document), ({ noun }) => noun)
  const lines = [...nouns].map(([noun, methods]) => {
    const rows = methods.map(({ name: method, verb, path, operation, isList }) => {
      const query = operation.parameters.some((one) => one.in === 'query') ? '?' : ''
      const body = verb === 'DELETE' && operation.requestBody !== undefined ? '!' : ''
      return `    ${method}: '${isList ? 'LIST' : verb} ${path}${query}${body}',\n`
    })
    return `  ${noun}: {\n${rows.join('')}  },\n`
  })
  return `\nexport const ${name} = {\n${lines.join('')}} as const\n`
}
