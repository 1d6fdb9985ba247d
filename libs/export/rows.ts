// Writes objects of the back office as rows of CSV, by the columns of columns.ts. docs/spec/imports.md#our-own-files
import { type Column, childColumn, idColumn, isPersonal, type ObjectTable } from './columns.ts'
import { type Cell, guarded } from './csv.ts'
import { listCell, pairsCell } from './list-cell.ts'

export type ExportedObject = Readonly<Record<string, unknown>>
export type ObjectRows = {
  header: string[]
  /** One row for each child, at least one. The fields of the object stand in the first of them, its id in each. */
  rows(object: ExportedObject): Cell[][]
}

/**
 * `first` is the first object of the file, null where there is none. What it lacks, or what the role of the caller does not see,
 * has no column, so that an import leaves it as it is.
 */
export function openRows(table: ObjectTable, first: ExportedObject | null): ObjectRows {
  const isShown = (name: string) => isIn(first, name) && !(first?.redacted === true && isPersonal(table, name))
  const columns = table.columns.filter(({ name, path }) => isShown(path.length === 1 ? (path[0] ?? name) : name))
  const children = table.children !== null && isShown(table.children.name) ? table.children : null
  const childColumns = children?.columns ?? []
  return {
    header: [
      idColumn,
      ...columns.map(({ name }) => name),
      ...(children === null ? [] : childColumns.map((column) => childColumn(children, column))),
    ],
    rows(object) {
      const own = columns.map((column) => cellOf(column, object))
      const elements = children === null ? [] : (object[children.name] as ExportedObject[])
      const rows = elements.map((child) => childColumns.map((column) => cellOf(column, child)))
      const noChild = childColumns.map(() => null)
      return (rows.length === 0 ? [noChild] : rows).map((cells, index) => [
        String(object.id),
        ...(index === 0 ? own : own.map(() => null)),
        ...cells,
      ])
    },
  }
}

function isIn(first: ExportedObject | null, name: string): boolean {
  return first === null || (name.split('.')[0] ?? name) in first
}

function cellOf({ path, type }: Column, object: ExportedObject): Cell {
  const value =
    path.reduce<unknown>((part, name) => (part as ExportedObject | null | undefined)?.[name], object) ?? null
  if (type === 'present') return value !== null
  if (value === null) return null
  if (type === 'list') return guardedCell(listCell(value as string[]))
  if (type === 'pairs') return guardedCell(pairsCell(value as Record<string, string>))
  if (type === 'money') return (value as { amount: string }).amount
  return typeof value === 'string' ? guarded(value) : (value as number | boolean)
}

function guardedCell(text: string | null): string | null {
  return text === null ? null : guarded(text)
}
