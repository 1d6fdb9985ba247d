// Makes the item of one exported object: from the records of a CSV file, or from an object of a JSON line.
// docs/spec/imports.md#our-own-files
import { createHash } from 'node:crypto'
import { isUuid } from '#contracts/actions/params'
import { isStorable } from '#contracts/input/text'
import { limits } from '#contracts/limits'
import type { ProblemCode } from '#contracts/objects/import-advice'
import { type Column, childColumn, externalIdColumn, idColumn, isPersonal, type ObjectTable } from '#export/columns'
import { unguarded } from '#export/csv'
import { type CsvRecord, canonical, cell } from '../reader/csv.ts'
import type { Fields } from '../reader/fields.ts'
import type { ExportedItem } from '../reader/item.ts'
import { CONTENT, NAMELESS } from '../writer/report.ts'
import { isObject, type Read, readCell, readValue, type Shop, valueAt } from './values.ts'

/** Reports a problem that fails the object. `column` as in the header; null: it concerns no column. */
export type Fail = (column: string | null, code: ProblemCode, message: string) => void
type FieldsOf = Record<string, unknown>

/** The item of the records of one id; its fields are incomplete where `fields` has failed. */
export function readRecords(
  table: ObjectTable,
  records: readonly [CsvRecord, ...CsvRecord[]],
  fields: Fields,
  shop: Shop,
): ExportedItem {
  const [first] = records
  const main = mainRecord(table, records, fields)
  const fail: (record: CsvRecord) => Fail = (record) => (column, code, message) =>
    fields.fail(record, column === null ? null : canonical(column), code, message)
  const read: FieldsOf = {}
  for (const column of table.columns) {
    if (hasColumn(first, column.name))
      put(read, column, readCell(column, cellOf(main, column.name), shop), column.name, fail(main))
  }
  const { children } = table
  if (children !== null && children.columns.some((column) => hasColumn(first, childColumn(children, column)))) {
    read[children.name] = records
      .filter((record) => children.columns.some((column) => cellOf(record, childColumn(children, column)) !== null))
      .map((record) => {
        const child: FieldsOf = {}
        for (const column of children.columns) {
          const name = childColumn(children, column)
          const text = cellOf(record, name)
          // A child without an id is a new one.
          if (!hasColumn(first, name) || (column.name === idColumn && text === null)) continue
          put(child, column, readCell(column, text, shop), name, fail(record))
        }
        return child
      })
  }
  const ids = { id: textOf(first, idColumn), externalId: textOf(first, externalIdColumn) }
  return itemOf(table, ids, read, { record: first.number, line: first.line }, fail(first))
}

/** The item of an object as the back office shows it. */
export function readJson(
  table: ObjectTable,
  object: Record<string, unknown>,
  place: { record: number; line: number },
  fail: Fail,
  shop: Shop,
): ExportedItem {
  const isHidden = (name: string) => object.redacted === true && isPersonal(table, name)
  const read: FieldsOf = {}
  for (const column of table.columns) {
    if (!isHidden(column.name))
      put(read, column, readValue(column, valueAt(object, column.path), shop), column.name, fail)
  }
  const { children } = table
  const elements = children === null || isHidden(children.name) ? undefined : object[children.name]
  if (children !== null && elements !== undefined) {
    if (!Array.isArray(elements) || !elements.every(isObject))
      fail(children.name, 'bad_value', 'The field must be a list of objects.')
    else read[children.name] = elements.map((element) => readChild(children, element, fail, shop))
  }
  const word = (name: string) => (typeof object[name] === 'string' ? (object[name] as string) : null)
  return itemOf(table, { id: word(idColumn), externalId: word(externalIdColumn) }, read, place, fail)
}

function readChild(children: NonNullable<ObjectTable['children']>, element: object, fail: Fail, shop: Shop): FieldsOf {
  const child: FieldsOf = {}
  for (const column of children.columns) {
    const value = valueAt(element, column.path)
    const isNew = column.name === idColumn && value === null
    if (!isNew) put(child, column, readValue(column, value, shop), childColumn(children, column), fail)
  }
  return child
}

/** The key of the records of one object: its id, else the id that another system has for it, else one of the record alone. */
export function keyOfRecord(record: CsvRecord): string {
  return textOf(record, idColumn)?.toLowerCase() ?? textOf(record, externalIdColumn) ?? `${NAMELESS}${record.number}`
}

/** The record with the fields of the object; of two such records every cell must be equal. */
function mainRecord(table: ObjectTable, records: readonly [CsvRecord, ...CsvRecord[]], fields: Fields): CsvRecord {
  const names = table.columns.map(({ name }) => name)
  const [main, ...others] = records.filter((record) => names.some((name) => cellOf(record, name) !== null))
  for (const record of others) {
    const other = names.find((name) => cellOf(record, name) !== cellOf(main ?? record, name))
    if (other === undefined) continue
    const words = `Line ${main?.line} of the same object says something else.`
    fields.fail(record, canonical(other), 'records_differ', words)
  }
  return main ?? records[0]
}

function itemOf(
  table: ObjectTable,
  { id, externalId }: { id: string | null; externalId: string | null },
  fields: FieldsOf,
  place: { record: number; line: number },
  fail: Fail,
): ExportedItem {
  if (id !== null && !isUuid(id)) fail(idColumn, 'bad_id', 'The id of an object must be a UUID.')
  if (externalId !== null && !isKey(externalId)) {
    fail(externalIdColumn, 'bad_id', `An external id must be text of 1 to ${limits.wordLengthMax} characters.`)
  }
  const own = id?.toLowerCase() ?? null
  const exported = { list: table.list, id: own, fields }
  return { kind: 'exported', key: own ?? externalId ?? keyOf(fields), ...place, exported }
}

/** The key of an object without an id: what names it, else its content. */
function keyOf(fields: FieldsOf): string {
  for (const name of ['slug', 'email', 'phone']) {
    const value = fields[name]
    if (typeof value === 'string' && isKey(`${name}:${value}`)) return `${name}:${value.toLowerCase()}`
  }
  return `${CONTENT}${createHash('sha256').update(JSON.stringify(fields)).digest('hex')}`
}

function isKey(text: string): boolean {
  return text !== '' && text.length <= limits.wordLengthMax && isStorable(text)
}

function put(fields: FieldsOf, column: Column, read: Read, name: string, fail: Fail): void {
  if ('problem' in read) fail(name, read.problem.code, read.problem.message)
  else if (read.value !== undefined) fields[column.name] = read.value
}

function hasColumn(record: CsvRecord, name: string): boolean {
  return record.slots.has(canonical(name))
}

function cellOf(record: CsvRecord, name: string): string | null {
  return cell(record, canonical(name))
}

function textOf(record: CsvRecord, name: string): string | null {
  const text = cellOf(record, name)
  return text === null ? null : unguarded(text).trim() || null
}
