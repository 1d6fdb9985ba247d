// Owns the log: structured JSON lines on stdout, pretty on a terminal, fields from an allow-list.
// Nothing in a log that a shop would not want on a postcard: no keys, no emails, no bodies.
import pino, { type Logger } from 'pino'

export type Log = Logger
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

// A write for each line is a tenth of what a request costs, so lines go out together, a little later. The end of the process
// writes the rest; only a kill loses some.
const inBatches = { dest: 1, sync: false, minLength: 8_192, periodicFlush: 100 }

/** The log of one process; `child({ service })` names a part of it. Lines go to `sink`, else to stdout. */
export function openLog(level: LogLevel, name: string, sink?: { write(line: string): void }): Log {
  const options = {
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { error: describeError },
  }
  if (sink !== undefined) return pino(options, sink)
  if (process.stdout.isTTY !== true) return pino(options, pino.destination(inBatches))
  const target = { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } }
  return pino({ ...options, transport: target })
}

// Error texts of the database may quote a value ("Key (email)=(…)"), so `detail` and `parameters` never reach a line.
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, type } = error as { code?: unknown; type?: unknown }
  return { name: error.name, message: error.message, code, type, stack: error.stack }
}
