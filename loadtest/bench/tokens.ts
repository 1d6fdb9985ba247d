// Counts what a model reads of the MCP endpoint, in tokens of o200k_base: the list of tools, and each answer with all fields and
// with some. `node loadtest/bench/tokens.ts http://127.0.0.1:3000/api/mcp KEY`, with a write key; about 190 calls.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { median } from './report.ts'

const [url = '', key = ''] = process.argv.slice(2)
const PAGES = 15
const ROWS = 15

type Row = { id: string }
type Page = { data: Row[]; next_cursor: string | null }
type Tool = { name: string; title: string; description: string; inputSchema: object; outputSchema: object }

const some: Record<string, string[]> = {
  orders: ['status', 'paymentStatus', 'total', 'customer', 'createdAt'],
  products: ['title', 'price', 'stock', 'inStock'],
  contacts: ['name', 'email', 'tags'],
}

async function call<Result>(method: string, params: object): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: Result; error?: { message: string } }
  if (result === undefined) throw new Error(`${method} was refused: ${error?.message}`)
  return result
}

/** The text that a model reads of an answer. */
async function textOf(name: string, given: object): Promise<string> {
  const { content, isError } = await call<{ content: { text: string }[]; isError?: boolean }>('tools/call', {
    name,
    arguments: given,
  })
  const text = content[0]?.text ?? ''
  if (isError === true) throw new Error(`${name}: ${text}`)
  return text
}

const line = (what: string, ...counts: (number | string)[]) =>
  process.stdout.write(`| ${[what, ...counts].join(' | ')} |\n`)
/** The median, and the largest of the counts. */
const middle = (counts: number[]) => `${Math.round(median(counts))} (${Math.max(...counts)})`

async function measure(noun: string): Promise<void> {
  const fields = some[noun] ?? []
  const named = fields.map((name) => `\`${name}\``).join(', ')
  const pages = { all: [] as number[], some: [] as number[] }
  const rows = { all: [] as number[], some: [] as number[] }
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const text: string = await textOf(`list_${noun}`, { cursor })
    const page = JSON.parse(text) as Page
    ids.push(...page.data.map(({ id }) => id))
    // The last page may be short; it counts only where it is the only one.
    if (page.next_cursor !== null || pages.all.length === 0) {
      pages.all.push(countTokens(text))
      pages.some.push(countTokens(await textOf(`list_${noun}`, { cursor, fields })))
    }
    cursor = page.next_cursor
  } while (cursor !== null && pages.all.length < PAGES)
  for (const id of ids.slice(0, ROWS)) {
    const name = `get_${noun.slice(0, -1)}`
    rows.all.push(countTokens(await textOf(name, { id })))
    rows.some.push(countTokens(await textOf(name, { id, fields })))
  }
  line(`\`list_${noun}\`, ${pages.all.length} pages`, middle(pages.all), middle(pages.some), named)
  line(`\`get_${noun.slice(0, -1)}\`, ${rows.all.length} rows`, middle(rows.all), middle(rows.some), named)
}

const { tools } = await call<{ tools: Tool[] }>('tools/list', {})
const read = tools.map(({ name, title, description, inputSchema }) => ({ name, title, description, inputSchema }))
line('Call, median (largest)', 'All fields', 'With `fields`', '`fields`')
line('---', '---', '---', '---')
line('`tools/list`, what a model reads', countTokens(JSON.stringify(read)), '', '')
line('`tools/list`, whole', countTokens(JSON.stringify(tools)), '', '')
line('`get_shop`', countTokens(await textOf('get_shop', {})), '', '')
for (const noun of Object.keys(some)) await measure(noun)
