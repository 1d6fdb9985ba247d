// `storefront export`: reads a list page by page and writes each page at once, so memory does not grow with the shop.
// `ndjson` is one object of the API a line, `csv` the table of libs/export/tables.ts.
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Option } from 'commander'
import { whyUnusable } from '#files/unusable'
import type { BackOffice, Json } from '../office/back-office.ts'
import { choiceArgument, choiceOption } from '../choices.ts'
import { type Command, shopOption, shopPath } from '../command.ts'
import { cellsOf, csvLine, type Table, tables } from '#export/tables'
import { refused, usageError } from '../failure.ts'

type List = keyof typeof tables

const formats = ['ndjson', 'csv']
const DETAILS_AT_ONCE = 10

export const exportCommand: Command = {
  words: 'export',
  about: 'exports a whole list, newest first: objects as JSON lines, or a CSV table that can be imported',
  args: [choiceArgument('list', 'the list', Object.keys(tables))],
  options: [
    shopOption(),
    choiceOption('--format <choice>', 'ndjson: an object on each line; csv: the columns of Shopify', formats).default(
      'ndjson',
    ),
    new Option('--out <file>', 'a file to write instead of stdout'),
  ],
  examples: ['orders --shop demo --out orders.ndjson', 'products --shop demo --format csv'],
  async run(given) {
    const list = given.args[0] as List
    const { format, out: file } = given.options as { format: string; out?: string }
    if (given.output.isJson && format === 'csv') throw usageError('--json and --format csv cannot be combined.')
    const out = file === undefined ? process.stdout : createWriteStream(file)
    const broken = once(out, 'error').then(([error]) => Promise.reject(error as Error))
    broken.catch(() => undefined) // After the race below nothing awaits it.
    const work = write(given.office(), `${shopPath(given)}/${list}`, list, format, out)
    const count = await Promise.race([work, broken]).catch((error: unknown) => {
      const reason = file === undefined ? null : whyUnusable(error)
      throw reason === null ? error : refused(`The file ${file} cannot be written: ${reason}.`)
    })
    given.output.note(`${count} ${list} exported.`)
  },
}

async function write(office: BackOffice, path: string, list: List, format: string, out: Writable): Promise<number> {
  const table = tables[list] as Table<unknown>
  let count = 0
  if (format === 'csv') await put(out, csvLine(table.columns))
  for await (const page of office.pages(path, {})) {
    // The list of products has no variants.
    const objects = list === 'products' ? await detailsOf(office, path, page) : page
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

async function detailsOf(office: BackOffice, path: string, page: Json[]): Promise<Json[]> {
  const objects: Json[] = []
  for (let at = 0; at < page.length; at += DETAILS_AT_ONCE) {
    const some = page.slice(at, at + DETAILS_AT_ONCE)
    objects.push(...(await Promise.all(some.map(({ id }) => office.call('GET', `${path}/${String(id)}`)))))
  }
  return objects
}

async function put(out: Writable, text: string): Promise<void> {
  if (!out.write(text)) await once(out, 'drain')
}
