// What describes a format that can be imported: how a file of it is recognised, and how its records are read.
import type { ObjectTable } from '#export/columns'
import type { ImportFormatName } from '#contracts/input/import'
import type { ImportContext } from '../reader/fields.ts'
import type { Group, OpenGroupKey } from '../reader/group.ts'
import type { ImportItem } from '../reader/item.ts'
import type { Report } from '../writer/report.ts'

/** Column names are canonical: trimmed, inner spaces collapsed, lowercase. */
export type ImportFormat = {
  /** Name in the back-office API. */
  format: ImportFormatName
  recognises: (columns: ReadonlySet<string>) => boolean
  /** Header generations: a file needs every column of one of them. */
  required: readonly (readonly string[])[]
  /** The columns that the group key and `read` use. */
  columns: readonly string[]
  /** Whether the format has this column although it is not read. Columns unknown to the format are listed in the report. */
  ignores: (column: string) => boolean
  /** The file's own currency; null: amounts are in the shop's. */
  currency: string | null
  /** Whether the objects are persons; problems then say only where they are. */
  holdsPersons?: true
  /** Cells are read as they are, with the blanks around them. */
  isExact?: true
  /** The objects of an export of our own, which may come as JSON lines too. */
  table?: ObjectTable
  /** The key that the records of one object share. */
  openGroupKey: OpenGroupKey
  read: (groups: AsyncIterable<Group>, context: ImportContext, report: Report) => AsyncIterable<ImportItem>
}
