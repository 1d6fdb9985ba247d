// `storefront export`: reads a list page by page and writes each page at once, so memory does not grow with the shop.
// `ndjson` is one object a line, `csv` the same as a table: both can be imported again. `shopify-csv` is for moving to Shopify.
// docs/spec/imports.md#export
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Option } from 'commander'
import { exportLists, objectTables } from '#export/columns'
import { csvLine } from '#export/csv'
import { type ObjectRows, openRows } from '#export/rows'
import { cellsOf, shopifyTables, type Table } from '#export/shopify-tables'
import { whyUnusable } from '#files/unusable'
import type { BackOffice, Json } from '../office/back-office.ts'
import { choiceArgument, choiceOption } from '../choices.ts'
import { type Command, shopOption, shopPath } from '../command.ts'
import { refused, usageError } from '../failure.ts'

type List = keyof typeof objectTables
type Format = (typeof formats)[number]
/** The lines of a page; `head` before the first one, with the first object or null. */
type Form = { head(first: Json | null): string; text(object: Json): string }

const formats = ['ndjson', 'csv', 'shopify-csv'] as const

export const exportCommand: Command = {
  words: 'export',
  about: 'exports a whole list, newest first: objects as JSON lines or as CSV, which import takes again',
  args: [choiceArgument('list', 'the list', exportLists)],
  options: [
    shopOption(),
    choiceOption(
      '--format <choice>',
      'ndjson: an object on each line; csv: the same as a table; shopify-csv: the columns of Shopify',
      formats,
    ).default('ndjson'),
    new Option('--out <file>', 'a file to write instead of stdout'),
  ],
  examples: ['orders --shop demo --out orders.ndjson', 'products --shop demo --format csv'],
  async run(given) {
    const list = given.args[0] as List
    const { format, out: file } = given.options as { format: Format; out?: string }
    if (given.output.isJson && format !== 'ndjson')
      throw usageError(`--json and --format ${format} cannot be combined.`)
    const form = formOf(list, format)
    const out = file === undefined ? process.stdout : createWriteStream(file)
    const broken = once(out, 'error').then(([error]) => Promise.reject(error as Error))
    broken.catch(() => undefined) // After the race below nothing awaits it.
    const work = write(given.office(), `${shopPath(given)}/exports/${list}`, form, out)
    const count = await Promise.race([work, broken]).catch((error: unknown) => {
      const reason = file === undefined ? null : whyUnusable(error)
      throw reason === null ? error : refused(`The file ${file} cannot be written: ${reason}.`)
    })
    given.output.note(`${count} ${list} exported.`)
  },
}

function formOf(list: List, format: Format): Form {
  if (format === 'ndjson') return { head: () => '', text: (object) => `${JSON.stringify(object)}\n` }
  if (format === 'csv') return csvForm(list)
  if (list === 'subscriptions') throw usageError('--format shopify-csv is for products, orders and contacts.')
  const table = shopifyTables[list] as Table<unknown>
  return { head: () => csvLine(table.columns), text: (object) => cellsOf(table, object).map(csvLine).join('') }
}

function csvForm(list: List): Form {
  let rows: ObjectRows = openRows(objectTables[list], null)
  return {
    head(first) {
      rows = openRows(objectTables[list], first)
      return csvLine(rows.header)
    },
    text: (object) => rows.rows(object).map(csvLine).join(''),
  }
}

async function write(office: BackOffice, path: string, form: Form, out: Writable): Promise<number> {
  let count = 0
  let isFirst = true
  for await (const page of office.pages(path, {})) {
    const head = isFirst ? form.head(page[0] ?? null) : ''
    isFirst = false
    await put(out, head + page.map((object) => form.text(object)).join(''))
    count += page.length
  }
  if (out !== process.stdout) {
    out.end()
    await finished(out)
  }
  return count
}

async function put(out: Writable, text: string): Promise<void> {
  if (!out.write(text)) await once(out, 'drain')
}
