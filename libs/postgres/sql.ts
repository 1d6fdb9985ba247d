// The interface through which query functions reach PostgreSQL.

/** What a query function needs: text with placeholders, values, rows back. Every text is prepared once a connection. */
export type Sql = { rows<Row>(text: string, values?: unknown[]): Promise<Row[]> }
