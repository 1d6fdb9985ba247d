// What a command writes to stdout: with --json one line an object; else tables and fields, aligned on a terminal and tab-separated
// for other programs. Columns and names follow from the objects.
import { styleText } from 'node:util'
import { gather, type Json } from './office/back-office.ts'

export type Output = {
  isJson: boolean
  /** A list: a table of the columns of its objects. */
  list(rows: Iterable<Json> | AsyncIterable<Json>): Promise<void>
  /** One object with all its fields. */
  one(object: Json): void
  /** A sentence for a person; with --json not a part of stdout. */
  note(text: string): void
}

// Of the objects that have more fields than a line has room for. `a=b`: the column a shows the field b.
const columns: Record<string, string> = {
  shop: 'handle name currency timeZone plan mode id',
  api_key: 'id name access prefix lastFour lastUsedAt createdAt revokedAt',
  request: 'at status method route tool code durationMs source id',
  product: 'created=createdAt title kind price stock published=isPublished id',
  contact: 'created=createdAt name email phone tags consent=marketingConsentAt id',
  order: 'created=createdAt status payment=paymentStatus total units=itemCount customer=customer.name id',
  order_move: 'number at who move toStatus toPaymentStatus amount',
  subscription: 'created=createdAt status price interval billing=billingMode ends=currentPeriodEnd id',
  subscription_move: 'number at who move toStatus',
  event: 'timestamp type sequence object=data.id id',
  webhook_endpoint: 'id url events enabled waiting lastError created=createdAt',
  webhook_delivery: 'happened=happenedAt event status attempts=attemptCount next=nextAttemptAt id',
  operator: 'name email role shops lastSeenAt disabledAt id',
  audit_entry: 'at operator=operator.name action outcome code type=objectType id=objectId source',
  outbox_message: 'parkedAt schema topic failures lastError objectId id',
  import: 'created=createdAt status phase format dryRun total processed created updated unchanged failed id',
}

/** `isJson`: one line an object. */
export function openOutput(isJson: boolean): Output {
  const line = (object: Json) => void process.stdout.write(`${JSON.stringify(object)}\n`)
  return {
    isJson,
    async list(rows) {
      if (isJson) for await (const row of rows) line(row)
      else showList(await gather(rows))
    },
    one(object) {
      if (isJson) line(object)
      else showObject(object)
    },
    note: (text) => void process.stderr.write(`${text}\n`),
  }
}

function showList(rows: Json[]): void {
  const [first] = rows
  if (first === undefined) {
    if (process.stdout.isTTY) process.stdout.write('There are none.\n')
    return
  }
  const names = columns[String(first.object)]?.split(' ') ?? scalarsOf(first)
  const shown = names.map((name) => name.split('=') as [string, string?])
  const head = shown.map(([title]) => words(title).toUpperCase())
  showTable(
    head,
    rows.map((row) => shown.map(([title, path = title]) => text(fieldAt(row, path)))),
  )
}

function showObject(object: Json): void {
  const fields: [string, string][] = []
  const tables: [string, Json[]][] = []
  flatten(object, '')
  const width = Math.max(...fields.map(([name]) => name.length))
  for (const [name, value] of fields) {
    process.stdout.write(process.stdout.isTTY ? `${bold(name.padEnd(width))}  ${value}\n` : `${name}\t${value}\n`)
  }
  for (const [name, rows] of tables) {
    process.stdout.write(`\n${bold(name)}\n`)
    showList(rows)
  }

  function flatten(part: Json, prefix: string): void {
    for (const [name, value] of Object.entries(part)) {
      const title = `${prefix}${words(name)}`
      if (name === 'object' && typeof value === 'string') continue
      if (isObjects(value)) tables.push([title, value])
      else if (isPlainObject(value) && moneyIn(value) === null) flatten(value, `${title} `)
      else fields.push([title, text(value)])
    }
  }
}

/** Writes a head and rows. */
function showTable(head: string[], rows: string[][]): void {
  if (!process.stdout.isTTY) {
    process.stdout.write([head, ...rows].map((row) => `${row.join('\t')}\n`).join(''))
    return
  }
  const widths = head.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  process.stdout.write(`${[bold(line(head)), ...rows.map(line)].join('\n')}\n`)
}

function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout }) // Plain where NO_COLOR is set or nobody watches.
}

function scalarsOf(row: Json): string[] {
  const isShort = (value: unknown) => !isObjects(value) && (!isPlainObject(value) || moneyIn(value) !== null)
  const names = Object.entries(row).filter(([name, value]) => name !== 'object' && isShort(value))
  const [ids, others] = [names.filter(isId), names.filter((one) => !isId(one))]
  return [...others.slice(0, 8), ...ids].map(([name]) => name).slice(0, 9)

  function isId([name]: [string, unknown]): boolean {
    return name === 'id' || name.endsWith('Id')
  }
}

function fieldAt(row: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as Json | null)?.[name], row)
}

function text(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(text).join(',')
  const shown = isPlainObject(value) ? (moneyIn(value) ?? JSON.stringify(value)) : String(value as string | number)
  // Data of shops and files may contain control characters, which a terminal would interpret.
  return shown.replace(/\p{Cc}+/gu, ' ')
}

function moneyIn({ amount, currency }: Json): string | null {
  return typeof amount === 'string' && typeof currency === 'string' ? `${amount} ${currency}` : null
}

function words(name: string): string {
  return name.replaceAll(/[_.]/g, ' ').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function isPlainObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isObjects(value: unknown): value is Json[] {
  return Array.isArray(value) && value.length > 0 && value.every(isPlainObject)
}
