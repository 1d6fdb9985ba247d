// The argument `fields`: a body with some of the fields of its rows (docs/spec/mcp.md#fields). The page is read whole, as the
// page cache holds it for REST and MCP alike, and reduced here.

type Row = Record<string, unknown>
type Body = { data: Row | Row[] }

/** The body of REST whose rows hold `fields`, `id` and `object` only, in the order of REST; unchanged where `fields` is null. */
export function withFields(body: Buffer, fields: readonly string[] | null): Buffer {
  if (fields === null) return body
  const kept = new Set(['id', 'object', ...fields])
  const reduced = (row: Row) => Object.fromEntries(Object.entries(row).filter(([name]) => kept.has(name)))
  const { data, ...envelope } = JSON.parse(body.toString()) as Body
  return Buffer.from(JSON.stringify({ data: Array.isArray(data) ? data.map(reduced) : reduced(data), ...envelope }))
}
