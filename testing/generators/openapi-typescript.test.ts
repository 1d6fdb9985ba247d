// openapi-typescript takes both documents as they are, and a program that openapi-fetch types by them lists all orders.
// docs/spec/reference.md#openapi-documents
import { beforeAll, expect, test } from '@jest/globals'
import { execFile, execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toolFolder } from '../files/tool-folder.ts'
import { openGiven } from './generators.ts'
import { duringTests } from '#testing/during-tests'

const packages = { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript: '5.9.3' }
const given = duringTests(() => openGiven())
let tool: string

beforeAll(async () => {
  tool = toolFolder('openapi-typescript', JSON.stringify(packages), (folder) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies: packages }))
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
  })
}, 180_000)

// What Node runs without a build.
const typesOnly = { lib: ['es2022', 'dom'], types: [], skipLibCheck: true, allowImportingTsExtensions: true }
/** Lists all orders: URL CREDENTIAL [SHOP]. */
const program = (name: string, path: string, inPath: string) => `
  import createClient from 'openapi-fetch'
  import type { paths } from './${name}.ts'
  const [baseUrl = '', credential = '', shop = ''] = process.argv.slice(2)
  const { GET } = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${credential}\` } })
  for (let cursor: string | undefined; ; ) {
    const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) }
    const { data: page } = await GET('${path}', { params: { query, ${inPath} } })
    for (const { id } of page?.data ?? []) console.log(id)
    if (page?.next_cursor === null || page === undefined) break
    cursor = page.next_cursor
  }
`

test('its types fit a program that lists all orders, page by page', async () => {
  symlinkSync(join(tool, 'node_modules'), join(given.folder, 'node_modules'))
  writeFileSync(join(given.folder, 'package.json'), '{"type":"module"}')
  const run = (words: string[]) => promisify(execFile)(process.execPath, words, { cwd: given.folder })
  for (const { name, file, url, credential, shop } of given.apis) {
    await run([join(tool, 'node_modules/openapi-typescript/bin/cli.js'), file, '--output', `${name}.ts`])
    const [path, inPath] = shop.length === 0 ? ['/orders', ''] : ['/shops/{shop}/orders', 'path: { shop }']
    writeFileSync(join(given.folder, `list-${name}.ts`), program(name, path ?? '', inPath ?? ''))
    writeFileSync(join(given.folder, 'process.d.ts'), 'declare const process: { argv: string[] }\n')
    const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', ...typesOnly }
    const files = ['process.d.ts', `list-${name}.ts`]
    writeFileSync(join(given.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
    await run([join(tool, 'node_modules/typescript/bin/tsc'), '-p', '.'])
    const { stdout } = await run([`list-${name}.ts`, url, credential, ...shop])
    expect(stdout.trim().split('\n')).toEqual(given.orders)
  }
}, 120_000)
