// The row of an export: the stored document of an object with fields that only the back office knows. docs/spec/imports.md#export
import type { PageRow } from './page.ts'

/** The row with these fields behind those of its document. */
export function exportedDocument<Row extends PageRow>(row: Row, fields: object): Row {
  return { ...row, document: `${row.document.slice(0, -1)},${JSON.stringify(fields).slice(1)}` }
}
