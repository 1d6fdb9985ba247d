// The interface through which query functions reach PostgreSQL.

/** What a query function needs: text with placeholders, values, rows back. Every text is prepared once a connection. */
export type Sql = {
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /**
   * Runs a statement that returns no rows. In a transaction it resolves when the statement is sent, and the commit awaits its answer:
   * where the statement fails, the transaction fails with its error.
   */
  write(text: string, values?: unknown[]): Promise<void>
}

/** Of a connection that awaits each statement. */
export function sqlOf(rows: Sql['rows']): Sql {
  return { rows, write: async (text, values) => void (await rows(text, values)) }
}
