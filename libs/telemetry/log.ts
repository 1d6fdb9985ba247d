// Owns the log: structured JSON lines on stdout, pretty on a terminal, fields from an allow-list.
// Nothing in a log that a shop would not want on a postcard: no keys, no emails, no bodies. security-and-faults.md, "Logs".
// The words of a line are written in the code; its fields are ids, counts, codes and patterns, and only those of the list.
import pino, { type DestinationStream, type Logger } from 'pino'

export type Log = Logger
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

/** Every name that a field of a line may have; a field of any other name is left out. */
export const loggedFields: ReadonlySet<string> = new Set([
  // A request, and what it belongs to.
  ...['request_id', 'shop_id', 'key_id', 'traceparent', 'trace_id', 'span_id'],
  ...['method', 'route', 'status', 'duration_ms', 'protocol', 'tool_error', 'because'],
  // A process and its parts.
  ...['service', 'node', 'ops_port', 'signal', 'schema', 'applied', 'action', 'error'],
  // Counts and measures.
  ...['silent', 'asked', 'returned', 'dropped', 'ahead_ms', 'requests_per_minute', 'usual'],
])

// A write for each line is a tenth of what a request costs, so lines go out together, a little later. The end of the process
// writes the rest; only a kill loses some.
const inBatches = { dest: 1, sync: false, minLength: 8_192, periodicFlush: 100, contentMode: 'buffer' } as const

/** Fields that each line takes from where it is written. */
export type LineFields = () => object

/** The log of one process; `child({ service })` names a part of it. Lines go to `sink`, else to stdout. */
export function openLog(level: LogLevel, name: string, sink?: { write(line: string): void }, fields?: LineFields): Log {
  const options = {
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { error: describeError },
    ...(fields === undefined ? {} : { mixin: fields }),
    formatters: { log: listed },
  }
  if (sink !== undefined) return pino(options, sink)
  if (process.stdout.isTTY !== true) return pino(options, asBytes(pino.destination(inBatches)))
  const target = { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } }
  return pino({ ...options, transport: target })
}

// A line that waits as text is the hundred pieces that it was put together from, and the collector carries them along; as bytes
// it is one. The library writes bytes where `contentMode` says so, but its types know of text only.
function asBytes(destination: DestinationStream): DestinationStream {
  const { write } = destination as unknown as { write(line: Buffer): boolean }
  return { write: (line) => void write.call(destination, Buffer.from(line)) }
}

function listed(fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields)
  if (entries.every(([name]) => loggedFields.has(name))) return fields
  return Object.fromEntries(entries.filter(([name]) => loggedFields.has(name)))
}

// Error texts of the database may quote a value ("Key (email)=(…)"), so `detail` and `parameters` never reach a line.
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: 'What was thrown is no error.' }
  const { code, type } = error as { code?: unknown; type?: unknown }
  const message = quotesValue(error, code) ? withoutQuotes(error.message) : error.message
  return { name: error.name, message, code, type, stack: error.stack?.replace(error.message, () => message) }
}

// Two kinds of messages hold the value that is wrong: the data exceptions of PostgreSQL (class 22), and what JSON.parse says.
function quotesValue(error: Error, code: unknown): boolean {
  return error.name === 'SyntaxError' || (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code))
}

function withoutQuotes(message: string): string {
  return message.replace(/["'][^]*["']/, '"…"')
}
