// The log: structured JSON lines on stdout, pretty on a terminal. The message of a line is written in the code; its fields are ids,
// counts, codes and patterns from an allow-list: no keys, no emails, no bodies (docs/spec/security.md#logs). A failure that repeats is
// counted (repeated-failures.ts).
import pino, { type LogFn, type Logger } from 'pino'
import { openRepeatedFailures } from './repeated-failures.ts'

export type Log = Logger
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const ERROR_LEVEL = 50 // Of pino; `fatal` is above.

/** The allowed field names; a field of any other name is left out. */
export const loggedFields: ReadonlySet<string> = new Set([
  // A request, and what it belongs to.
  ...['request_id', 'shop_id', 'key_id', 'traceparent', 'trace_id', 'span_id'],
  ...['method', 'route', 'status', 'duration_ms', 'protocol', 'tool_error', 'because'],
  // A process and its parts.
  ...['service', 'node', 'ops_port', 'signal', 'schema', 'applied', 'action', 'error'],
  // A message of an outbox.
  ...['topic', 'message_id', 'count'],
  // Counts and measures.
  ...['silent', 'asked', 'returned', 'dropped', 'ahead_ms', 'requests_per_minute', 'usual'],
])

/**
 * The level of lines about normal events, such as a request that succeeded: people at a terminal see them with
 * LOG_LEVEL=debug (docs/spec/running.md#process-ends).
 */
export const routineLevel = process.stdout.isTTY === true ? 'debug' : 'info'

// One write for each line would be a tenth of the cost of a request. The end of the process flushes; a SIGKILL loses some lines.
const batchedStdout = { dest: 1, sync: false, minLength: 8_192, periodicFlush: 100 }
// One for all logs of the process: each has a timer that writes even when there is no line.
let stdout: ReturnType<typeof pino.destination> | null = null

// This thread writes the lines for people: a thread of their own ends the process when the terminal is closed.
const forPeople =
  process.stdout.isTTY === true
    ? (await import('pino-pretty')).prettyFactory({
        ignore: 'pid,hostname',
        translateTime: 'HH:MM:ss',
        singleLine: true,
      })
    : null

/** Returns fields that every line has, such as the ids of the current span. */
export type LineFields = () => object

/** The log of one process; `child({ service })` names a part of it. Lines go to `sink`, else to stdout. */
export function openLog(level: LogLevel, name: string, sink?: { write(line: string): void }, fields?: LineFields): Log {
  const options = {
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { error: describeError },
    ...(fields === undefined ? {} : { mixin: fields }),
    formatters: { log: allowedFields },
    hooks: { logMethod: onceWithCount() },
  }
  if (sink !== undefined) return pino(options, sink)
  if (forPeople === null) return pino(options, (stdout ??= pino.destination(batchedStdout)))
  return pino(options, { write: (line) => void process.stdout.write(forPeople(line)) })
}

// A line about a failure has `error` and is no worse than an error: what ends a process is always said.
function onceWithCount() {
  const isFirst = openRepeatedFailures()
  return function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
    const [fields, message] = args as unknown[] as [{ error?: unknown; action?: unknown } | string, unknown]
    const error = typeof fields === 'object' ? fields.error : undefined
    if (!(error instanceof Error) || typeof message !== 'string' || level > ERROR_LEVEL) {
      return method.apply(this, args)
    }
    const { action, schema, topic } = fields as Record<string, unknown>
    const kind = { level, service: this.bindings().service, action, message, error }
    const say = (count: number) =>
      method.apply(this, [{ action, schema, topic, count, error: new Repeated(error) }, `${message} (repeated)`])
    if (isFirst(kind, say)) method.apply(this, args)
  }
}

/** An error that was logged before, so its stack is not. */
class Repeated extends Error {
  constructor(error: Error) {
    super(error.message)
    const { code, type } = error as { code?: unknown; type?: unknown }
    Object.assign(this, { name: error.name, code, type, stack: undefined })
  }
}

function allowedFields(fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields)
  if (entries.every(([name]) => loggedFields.has(name))) return fields
  return Object.fromEntries(entries.filter(([name]) => loggedFields.has(name)))
}

// Error texts of the database may quote a value ("Key (email)=(…)"), so `detail` and `parameters` never reach a line.
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: 'What was thrown is not an error.' }
  const { code, type } = error as { code?: unknown; type?: unknown }
  const message = quotesValue(error, code) ? withoutQuotes(error.message) : error.message
  return { name: error.name, message, code, type, stack: error.stack?.replace(error.message, () => message) }
}

// Two kinds of messages quote the wrong value: data exceptions of PostgreSQL (class 22), and errors of JSON.parse.
function quotesValue(error: Error, code: unknown): boolean {
  return error.name === 'SyntaxError' || (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code))
}

function withoutQuotes(message: string): string {
  return message.replace(/["'][^]*["']/, '"…"')
}
