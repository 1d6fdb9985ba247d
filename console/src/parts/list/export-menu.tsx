// "Export": exactly the filter of the list, whatever its length, as CSV or NDJSON.
import { useState } from 'preact/hooks'
import { type ExportList, objectTables } from '#export/columns'
import { csvLine, guarded } from '#export/csv'
import { type ExportedObject, openRows } from '#export/rows'
import { words } from '../../words/en.ts'
import { DropDown } from '../drop-down.tsx'
import { Problem } from '../state.tsx'
import { fileOfPages, saveFile } from './take-away.ts'

/** How a file is written; `first` is its first row, null where there is none. */
export type ExportForm<Row> = {
  name: 'csv' | 'ndjson'
  type: string
  open(first: Row | null): { head: string; text(row: Row): string }
}

/** One object of the API a line. */
export const ndjson: ExportForm<unknown> = {
  name: 'ndjson',
  type: 'application/x-ndjson',
  open: () => ({ head: '', text: (row) => `${JSON.stringify(row)}\n` }),
}

/** The whole objects of a list as `storefront export` writes them, so that an import takes them again. */
export function objectsCsv(list: ExportList): ExportForm<object> {
  return {
    name: 'csv',
    type: 'text/csv',
    open(first) {
      const { header, rows } = openRows(objectTables[list], first as ExportedObject | null)
      return {
        head: csvLine(header),
        text: (row) =>
          rows(row as ExportedObject)
            .map(csvLine)
            .join(''),
      }
    },
  }
}

/** A table with one row an object; `columns` by their names. */
export function csvOf<Row>(columns: Readonly<Record<string, (row: Row) => string | number | null>>): ExportForm<Row> {
  const cells = Object.values(columns)
  const cell = (value: string | number | null) => (typeof value === 'string' ? guarded(value) : value)
  const open = () => ({
    head: csvLine(Object.keys(columns)),
    text: (row: Row) => csvLine(cells.map((of) => cell(of(row)))),
  })
  return { name: 'csv', type: 'text/csv', open }
}

type ExportMenuProps<Row> = {
  name: string
  forms: readonly ExportForm<Row>[]
  pages: () => AsyncIterable<{ data: Row[] }>
}

export function ExportMenu<Row>({ name, forms, pages }: ExportMenuProps<Row>) {
  const [rows, setRows] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const run = async (form: ExportForm<Row>) => {
    setRows(0)
    setError(null)
    try {
      saveFile(await fileOfPages(pages(), form, setRows), `${name}.${form.name}`)
    } catch (reason) {
      setError(reason)
    }
    setRows(null)
  }
  return (
    <DropDown label={rows === null ? words.list.export : words.list.exporting(rows)} isRight className="export">
      {(close) => (
        <div class="menu">
          <p>{words.list.exportWhat}</p>
          <ul>
            {forms.map((form) => (
              <li key={form.name}>
                <button
                  type="button"
                  disabled={rows !== null}
                  onClick={() => {
                    void run(form).then(close)
                  }}
                >
                  {words.list.exportAs[form.name]}
                </button>
              </li>
            ))}
          </ul>
          {error !== null && <Problem error={error} />}
        </div>
      )}
    </DropDown>
  )
}
