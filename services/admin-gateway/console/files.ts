// The files of the built console, read once when the gateway starts. docs/spec/console.md#serving
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type ConsoleFile = { name: string; type: string; bytes: Buffer; brotli: Buffer }
export type ConsoleFiles = {
  /** The page, the same for every address of the console. */
  page: string
  /** Scripts, styles and pictures, with a digest in each name. */
  assets: ReadonlyMap<string, ConsoleFile>
}

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
const built = join(import.meta.dirname, '../../../console/dist')

/** Null where the console was not built, as in an installation without dev dependencies. */
export function readConsole(folder = built): ConsoleFiles | null {
  const page = join(folder, 'index.html')
  if (!existsSync(page)) return null
  const names = readdirSync(join(folder, 'assets')).filter((name) => typeOf(name) !== undefined)
  return {
    page: readFileSync(page, 'utf8'),
    assets: new Map(names.map((name) => [name, readAsset(folder, name)])),
  }
}

function readAsset(folder: string, name: string): ConsoleFile {
  const file = join(folder, 'assets', name)
  return { name, type: typeOf(name) ?? '', bytes: readFileSync(file), brotli: readFileSync(`${file}.br`) }
}

function typeOf(name: string): string | undefined {
  return types[name.split('.').at(-1) ?? '']
}
