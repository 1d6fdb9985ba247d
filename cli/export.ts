// Owns `storefront export`: a list of the back office, walked to its end by cursor and written as it comes. Nothing is held
// but one page, so the size of a shop does not matter.
// `ndjson` is the objects as the API shows them, one a line; `csv` is a table of them, see columns.ts.
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { cellsOf, type Table, tables } from './export-columns.ts'
import { csvLine } from './csv-line.ts'
import type { Door, Json } from './admin-client.ts'
import { misuse, needed, type Options } from './arguments.ts'

const forms = ['ndjson', 'csv']
const DETAILS_AT_ONCE = 10

export async function exportCommand(door: Door, [list = '', ...more]: string[], options: Options): Promise<number> {
  const form = options.format ?? 'ndjson'
  if (!isList(list) || more.length > 0) throw misuse(`export needs one of ${Object.keys(tables).join(', ')}.`)
  if (!forms.includes(form)) throw misuse(`--format must be one of ${forms.join(', ')}.`)
  const path = `/shops/${encodeURIComponent(needed(options, 'shop'))}/${list}`
  const out = options.out === undefined ? process.stdout : createWriteStream(options.out)
  const broken = once(out, 'error').then(([error]) => Promise.reject(error as Error))
  broken.catch(() => undefined) // It ends the race below; afterwards nobody waits for it.
  const count = await Promise.race([write(door, path, list, form, out), broken]).catch((error: unknown) => {
    // `| head` has read enough; that is no failure.
    if (out === process.stdout && error instanceof Error && 'code' in error && error.code === 'EPIPE') return null
    throw error
  })
  if (count === null) return 0
  process.stderr.write(`${count} ${list} exported.\n`)
  return 0
}

async function write(door: Door, path: string, list: keyof typeof tables, form: string, out: Writable) {
  // Of which kind the objects are the list itself says.
  const table = tables[list] as Table<unknown>
  let count = 0
  if (form === 'csv') await put(out, csvLine(table.columns))
  for await (const page of door.pages(path, {})) {
    // The list of products shows no variants.
    const objects = list === 'products' ? await detailsOf(door, path, page) : page
    const texts = objects.map((one) =>
      form === 'csv' ? cellsOf(table, one).map(csvLine).join('') : `${JSON.stringify(one)}\n`,
    )
    await put(out, texts.join(''))
    count += objects.length
  }
  if (out !== process.stdout) {
    out.end()
    await finished(out)
  }
  return count
}

async function detailsOf(door: Door, path: string, page: Json[]): Promise<Json[]> {
  const objects: Json[] = []
  for (let at = 0; at < page.length; at += DETAILS_AT_ONCE) {
    const some = page.slice(at, at + DETAILS_AT_ONCE)
    objects.push(...(await Promise.all(some.map(({ id }) => door.call('GET', `${path}/${String(id)}`)))))
  }
  return objects
}

async function put(out: Writable, text: string): Promise<void> {
  if (!out.write(text)) await once(out, 'drain')
}

function isList(name: string): name is keyof typeof tables {
  return Object.hasOwn(tables, name)
}
