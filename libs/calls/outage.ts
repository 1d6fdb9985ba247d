// Tells an outage of a receiver from the refusal of one message. docs/spec/outboxes.md#refused-messages
import { refusalCode } from '#contracts/errors'

// Errors of PostgreSQL that have nothing to do with the message: connection, rollback by conflict, resources, operator, system;
// a server that only reads, such as a standby.
const DATABASE = /^(08|40|53|55|57|58)[0-9A-Z]{3}$|^25006$/
const NETWORK = /^(ECONN[A-Z]+|E(NOTFOUND|TIMEDOUT|PIPE|HOSTUNREACH|AI_AGAIN))$/
// The messages of pg for connections, which have no code.
const CONNECTION =
  /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection error/

/** Whether the receiver did not answer, or answered that it cannot work at all. */
export function isOutage(error: unknown): boolean {
  if (refusalCode(error) !== null) return refusalCode(error) === 'unavailable'
  // Moleculer's own errors: nobody there, no answer in time, no connection to the bus.
  if ((error as { retryable?: unknown } | null)?.retryable === true) return true
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code === 'string' && (DATABASE.test(code) || NETWORK.test(code))) return true
  return error instanceof Error && CONNECTION.test(error.message)
}
