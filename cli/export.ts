// `storefront export`: reads a list page by page and writes each page at once, so memory does not grow with the shop.
// `ndjson` is one object of the API a line, `csv` the table of export-columns.ts.
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { cellsOf, csvLine, type Table, tables } from './export-columns.ts'
import type { AdminClient, Json } from './admin-client.ts'
import { usageError, required, type Options } from './arguments.ts'

const formats = ['ndjson', 'csv']
const DETAILS_AT_ONCE = 10

export async function exportCommand(
  client: AdminClient,
  [list = '', ...more]: string[],
  options: Options,
): Promise<number> {
  const format = options.format ?? 'ndjson'
  if (!isList(list) || more.length > 0) throw usageError(`export needs one of ${Object.keys(tables).join(', ')}.`)
  if (!formats.includes(format)) throw usageError(`--format must be one of ${formats.join(', ')}.`)
  const path = `/shops/${encodeURIComponent(required(options, 'shop'))}/${list}`
  const out = options.out === undefined ? process.stdout : createWriteStream(options.out)
  const broken = once(out, 'error').then(([error]) => Promise.reject(error as Error))
  broken.catch(() => undefined) // After the race below nothing awaits it.
  const count = await Promise.race([write(client, path, list, format, out), broken]).catch((error: unknown) => {
    // A reader such as `| head` closed the pipe: not a failure.
    if (out === process.stdout && error instanceof Error && 'code' in error && error.code === 'EPIPE') return null
    throw error
  })
  if (count === null) return 0
  process.stderr.write(`${count} ${list} exported.\n`)
  return 0
}

async function write(client: AdminClient, path: string, list: keyof typeof tables, format: string, out: Writable) {
  const table = tables[list] as Table<unknown>
  let count = 0
  if (format === 'csv') await put(out, csvLine(table.columns))
  for await (const page of client.pages(path, {})) {
    // The list of products has no variants.
    const objects = list === 'products' ? await detailsOf(client, path, page) : page
    const texts = objects.map((one) =>
      format === 'csv' ? cellsOf(table, one).map(csvLine).join('') : `${JSON.stringify(one)}\n`,
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

async function detailsOf(client: AdminClient, path: string, page: Json[]): Promise<Json[]> {
  const objects: Json[] = []
  for (let at = 0; at < page.length; at += DETAILS_AT_ONCE) {
    const some = page.slice(at, at + DETAILS_AT_ONCE)
    objects.push(...(await Promise.all(some.map(({ id }) => client.call('GET', `${path}/${String(id)}`)))))
  }
  return objects
}

async function put(out: Writable, text: string): Promise<void> {
  if (!out.write(text)) await once(out, 'drain')
}

function isList(name: string): name is keyof typeof tables {
  return Object.hasOwn(tables, name)
}
