// Writes rows of an archive for a shop. docs/spec/archives.md#restore
// A row and all that belongs to it are written in one transaction, or not at all where the row is there: so a batch may be sent again, and a
// restore that was stopped goes on. The columns that an archive lacks are made by `complete`.
import type { ColumnType, InnerRows, RowsFormat } from '#contracts/archive/rows'
import { refuse } from '#contracts/errors'
import { codeOf, type Sql } from '#postgres/connect'
import { newValue } from './new-ids.ts'

export type ArchivedRow = Record<string, unknown>
/** `inner`: the rows that belong to the row, by name. */
export type Restored = { row: ArchivedRow; inner: Record<string, ArchivedRow[]> }
/**
 * `newIds`: every id becomes the one that follows from it and the shop. `conflict`: the columns by which a row is known. `complete`: the
 * further columns of a row, as JSON has them; `rest`: further columns of its inner rows, by name.
 */
export type RestoreOptions = {
  shopId: string
  newIds: boolean
  conflict: readonly string[]
  complete?(restored: Restored): ArchivedRow
  rest?: Record<string, ArchivedRow>
}

const BAD_VALUE = /^2[23]/ // Data exceptions and broken constraints.

/** Writes the rows that are not there yet; returns those. Refuses invalid_request for rows that cannot be stored. */
export async function restorePart(
  tx: Sql,
  rows: RowsFormat,
  given: ArchivedRow[],
  options: RestoreOptions,
): Promise<ArchivedRow[]> {
  const { shopId, conflict, complete, rest = {} } = options
  const restored = given.map((row) => openRow(rows, row, options))
  const whole = restored.map((one) => ({ shop_id: shopId, ...one.row, ...complete?.(one) }))
  try {
    const names = Object.keys(whole[0] ?? {})
    const written = await insert<ArchivedRow>(tx, rows.table, names, whole, conflict)
    const known = conflict.filter((name) => name !== 'shop_id' && rows.columns[name] !== 'instant')
    const isNew = new Set(written.map((row) => keyOf(row, known)))
    const fresh = restored.filter(({ row }) => isNew.has(keyOf(row, known)))
    for (const [name, format] of Object.entries(rows.inner ?? {})) {
      await insertInner(tx, shopId, fresh, name, format, rest[name] ?? {})
    }
    return fresh.map(({ row }) => row)
  } catch (error) {
    if (!BAD_VALUE.test(codeOf(error) ?? '')) throw error
    const { message } = error as Error
    throw refuse('invalid_request', `rows of ${rows.table} cannot be stored: ${message}.`, { field: 'rows' })
  }
}

/** The instants of a row as dates, as the code that renders documents has them. */
export function withDates<Row>(row: ArchivedRow, columns: Readonly<Record<string, ColumnType>>): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    columns[name] === 'instant' && typeof value === 'string' ? new Date(value) : value,
  ])
  return Object.fromEntries(entries) as Row
}

// Refuses invalid_request for a row whose fields are not those of the format.
function openRow(rows: RowsFormat, given: ArchivedRow, { shopId, newIds }: RestoreOptions): Restored {
  const { columns, inner = {}, table } = rows
  const fields = [...Object.keys(columns), ...Object.keys(inner)]
  if (!hasExactly(given, fields)) throw wrongFields(table, fields)
  const open = (row: ArchivedRow, types: Readonly<Record<string, ColumnType>>) =>
    Object.fromEntries(
      Object.entries(types).map(([name, type]) => [name, newIds ? newValue(shopId, type, row[name]) : row[name]]),
    )
  const lists = Object.entries(inner).map(([name, format]) => {
    const list = given[name]
    const names = Object.keys(format.columns)
    if (!Array.isArray(list) || !list.every((row) => hasExactly(row, names)))
      throw wrongFields(`${table}.${name}`, names)
    return [name, (list as ArchivedRow[]).map((row) => open(row, format.columns))]
  })
  return { row: open(given, columns), inner: Object.fromEntries(lists) as Restored['inner'] }
}

function hasExactly(row: unknown, fields: string[]): row is ArchivedRow {
  if (typeof row !== 'object' || row === null) return false
  return fields.length === Object.keys(row).length && fields.every((name) => Object.hasOwn(row, name))
}

function wrongFields(table: string, fields: string[]) {
  return refuse('invalid_request', `rows of ${table} must have these fields and no others: ${fields.join(', ')}.`, {
    field: 'rows',
  })
}

async function insertInner(
  tx: Sql,
  shopId: string,
  fresh: Restored[],
  name: string,
  format: InnerRows,
  rest: ArchivedRow,
): Promise<void> {
  const list = fresh.flatMap(({ row, inner }) => {
    const owner = format.through === undefined ? { [format.of]: row.id } : {}
    return (inner[name] ?? []).map((one) => ({ shop_id: shopId, ...owner, ...one, ...rest }))
  })
  const [first] = list
  if (first !== undefined) await insert(tx, format.table, Object.keys(first), list, null)
}

function insert<Row>(
  tx: Sql,
  table: string,
  names: string[],
  rows: ArchivedRow[],
  conflict: readonly string[] | null,
): Promise<Row[]> {
  if (rows.length === 0) return Promise.resolve([])
  const columns = names.map((name) => `"${name}"`).join(', ')
  const known =
    conflict === null ? '' : ` on conflict (${conflict.join(', ')}) do nothing returning ${conflict.join(', ')}`
  return tx.rows(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)${known}`,
    [JSON.stringify(rows)],
  )
}

function keyOf(row: ArchivedRow, columns: readonly string[]): string {
  return columns.map((name) => textOf(row[name])).join(' ')
}

// The database answers bytes as a Buffer.
function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value as string)
}
