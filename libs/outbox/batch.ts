// How much of an outbox a relay reads and hands over at a time. docs/spec/outboxes.md#relay
//
// A message on the bus must stay below 1 MB, so batches stop before 400 KB of bodies. PostgreSQL knows lengths without reading the
// bodies, so only those of the batch are read.

/** Bytes of the bodies of a batch, unless its first body alone is longer. */
export const BATCH_BYTES = 400_000

/** What the rows of a batch have besides their columns: how many messages were looked at. */
export type InBatch = { found: number }

/**
 * SQL: of the messages, which have a position and a body, the first ones with at most BATCH_BYTES, but at least one. The value of that
 * bound is the parameter `$2`.
 */
export function firstOfBatch(messages: string): string {
  return `
    select * from (
      select *, sum(octet_length(body)) over (order by position) as bytes, row_number() over (order by position) as n,
        count(*) over ()::integer as found
      from (${messages}) as looked_at) as measured
    where n = 1 or bytes <= $2`
}

/** Whether more may wait than the rows of this batch, of which at most `rowsMax` were looked at. */
export function isFullBatch(rows: InBatch[], rowsMax: number): boolean {
  const found = rows[0]?.found ?? 0
  return found === rowsMax || found > rows.length
}
