// "Export": exactly the filter of the list, whatever its length, as CSV or NDJSON.
import { useState } from 'preact/hooks'
import { csvLine, guarded } from '#export/tables'
import { words } from '../../words/en.ts'
import { DropDown } from '../drop-down.tsx'
import { Problem } from '../state.tsx'
import { fileOfPages, saveFile } from './take-away.ts'

export type ExportForm<Row> = {
  name: 'csv' | 'ndjson'
  type: string
  head: string
  text(row: Row): string
}

/** One object of the API a line. */
export const ndjson: ExportForm<unknown> = {
  name: 'ndjson',
  type: 'application/x-ndjson',
  head: '',
  text: (row) => `${JSON.stringify(row)}\n`,
}

/** A table with one row an object; `columns` by their names. */
export function csvOf<Row>(columns: Readonly<Record<string, (row: Row) => string | number | null>>): ExportForm<Row> {
  const cells = Object.values(columns)
  const cell = (value: string | number | null) => (typeof value === 'string' ? guarded(value) : value)
  return {
    name: 'csv',
    type: 'text/csv',
    head: csvLine(Object.keys(columns)),
    text: (row) => csvLine(cells.map((of) => cell(of(row)))),
  }
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
