// How the rows of an archive are described: tables, columns and the types of their values. docs/spec/archives.md#rows
// Services read and write rows by these lists, and `storefront archive verify` checks a file by them.

/**
 * `id`: a UUID that becomes another one in a restore with new ids. `event_id`: the same of an event, whose instant stays. `digest`: bytes that
 * no two shops may share. `key`: a UUID that stays. `bytes`: `\x` and hex digits. `instant`: in RFC 3339 form.
 */
export type ColumnType =
  | 'id'
  | 'event_id'
  | 'key'
  | 'text'
  | 'integer'
  | 'boolean'
  | 'instant'
  | 'texts'
  | 'object'
  | 'bytes'
  | 'digest'
export type Columns = Readonly<Record<string, ColumnType>>

/**
 * Rows that belong to a row of a part: `of` is their column with its id, `order` that of their list. `through`: the column may also have the
 * id of one of these rows of it, so it is among the columns.
 */
export type InnerRows = {
  table: string
  of: string
  through?: { table: string; of: string }
  order: readonly string[]
  columns: Columns
}
/** `key`: the column by which rows are ordered and asked for; null where a shop has one row. */
export type RowsFormat = {
  table: string
  key: string | null
  columns: Columns
  inner?: Readonly<Record<string, InnerRows>>
}

/** A key of an imported file, with the batch that wrote it. */
export const reference: Columns = {
  source: 'text',
  kind: 'text',
  key: 'text',
  digest: 'bytes',
  batch: 'key',
  told: 'object',
}
export const referenceOrder = ['source', 'kind', 'key']
