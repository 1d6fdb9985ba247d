// node console/build.ts: builds the console into console/dist with a brotli form of each file, unless what is there was made from the
// same sources. `npm ci`, `npm start`, `npm run stack`, `npm test` and the image run it. docs/spec/console.md#construction
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const target = join(import.meta.dirname, 'dist')
const digestFile = join(target, 'sources.txt')
// All that the bundle may be made of.
const sources = [
  'console/{index.html,build.ts,vite.config.ts,tsconfig.json}',
  'console/src/**/*',
  'clients/typescript/src/**/*',
  'libs/contracts/**/*.ts',
  'libs/export/**/*.ts',
  'libs/html/tokens.css',
  'package-lock.json',
]

if (import.meta.main) await buildConsole()

/** Builds the console where its sources have changed. Without dev dependencies it says that it does not. */
export async function buildConsole(): Promise<void> {
  const digest = digestOfSources()
  if (existsSync(digestFile) && readFileSync(digestFile, 'utf8') === digest) return
  if (!existsSync(join(root, 'node_modules/vite'))) {
    process.stdout.write('The console is not built: Vite is not installed.\n')
    return
  }
  // Another process may build at the same time, or read what is there.
  const made = `${target}-${process.pid}`
  const before = `${made}-before`
  try {
    const { build } = await import('vite')
    const configFile = join(import.meta.dirname, 'vite.config.ts')
    await build({ configFile, configLoader: 'native', logLevel: 'warn', build: { outDir: made } })
    for (const file of filesIn(made)) writeFileSync(`${file}.br`, brotli(readFileSync(file)))
    writeFileSync(join(made, 'sources.txt'), digest)
    mkdirSync(target, { recursive: true })
    renameSync(target, before)
    renameSync(made, target)
  } finally {
    for (const folder of [made, before]) rmSync(folder, { recursive: true, force: true })
  }
}

function digestOfSources(): string {
  const hash = createHash('sha256')
  for (const path of globSync(sources, { cwd: root }).toSorted()) {
    if (path.endsWith('.test.ts') || !statSync(join(root, path)).isFile()) continue
    hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}

function filesIn(folder: string): string[] {
  return globSync('**/*.{html,js,css,svg}', { cwd: folder }).map((path) => join(folder, path))
}

function brotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
}
