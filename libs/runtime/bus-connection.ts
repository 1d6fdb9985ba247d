// The connection to NATS as this process sees it. While it is away, calls fail at once instead of one by one by their timeouts,
// those in flight included, since their responses cannot arrive any more. They fail as `unavailable`: a gateway repeats a read once, and
// the client gets 503 `server_error` with `Retry-After: 1`. Readiness names the reason (docs/spec/running.md#watching).
import type { Middleware } from 'moleculer'
import { refuse } from '#contracts/errors'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'
import { type BrokerCall, middleware } from './middlewares/middleware.ts'
import type { ConnectionListener } from './nats-transporter.ts'

export type BusConnection = {
  /** Why the bus cannot be used now, or null. */
  problem(): string | null
  listener: ConnectionListener
  /** Rejects calls while the bus is away. */
  middleware: Middleware
}

const AWAY = 'the bus is not connected'
const REFUSED_MAX = 100 // Subjects that are logged.
const loginRefusals = [
  ...['AUTHORIZATION_VIOLATION', 'AUTHENTICATION_EXPIRED', 'AUTHENTICATION_TIMEOUT', 'BAD_AUTHENTICATION'],
  'ACCOUNT_EXPIRED',
]

/** The state of one connection; it starts disconnected. */
export function openBusConnection(metrics: Metrics, log: Log): BusConnection {
  const inFlight = new Set<(reason: Error) => void>()
  let isConnected = false
  let wasConnected = false
  let reason = ''
  const refusedSubjects = new Set<string>()
  let deniedSubject: string | null = null // A subject that this process must subscribe to and may not.
  metrics.bus.set(0)

  const problem = () => {
    if (!isConnected) return reason === '' ? AWAY : `${AWAY}: ${reason}`
    return deniedSubject === null ? null : `NATS refuses the subject ${deniedSubject} to this login`
  }
  const listener: ConnectionListener = {
    connected() {
      isConnected = true
      metrics.bus.set(1)
      if (wasConnected) log.info('the bus is connected again')
      wasConnected = true
    },
    disconnected() {
      if (!isConnected) return
      isConnected = false
      deniedSubject = null
      reason = ''
      metrics.bus.set(0)
      log.warn(`${AWAY}; calls are refused until it is back`)
      const error = refuseCall()
      for (const reject of inFlight) reject(error)
      inFlight.clear()
    },
    refused(use, subject) {
      if (use === 'subscription') deniedSubject = subject
      const refusal = `${use} ${subject}`
      if (refusedSubjects.size >= REFUSED_MAX || refusedSubjects.has(refusal)) return
      log.warn(`NATS refuses to this login: ${refusal}`)
      refusedSubjects.add(refusal)
    },
    cutOff() {
      metrics.slowConsumer.inc()
      log.warn('the NATS server ended the connection without a reason: this process may have read too slowly')
    },
    // Only the code is logged: a message of nats.js may hold an address with its login.
    failed(code) {
      const failure = loginRefusals.includes(code) ? 'NATS refuses the login of NATS_URL' : code
      if (isConnected || !/^[\w ]+$/.test(failure) || failure === reason) return
      reason = failure
      log.warn(`${AWAY}: ${reason}`)
    },
  }
  return { problem, listener, middleware: middleware('bus-connection', { call: rejectWhileAway }) }

  function rejectWhileAway(next: BrokerCall): BrokerCall {
    return (...call) => {
      if (!isConnected) return Promise.reject(refuseCall())
      return new Promise((resolve, reject) => {
        inFlight.add(reject)
        next(...call).then(
          (response) => {
            inFlight.delete(reject)
            resolve(response)
          },
          (error: unknown) => {
            inFlight.delete(reject)
            reject(error)
          },
        )
      })
    }
  }
}

function refuseCall(): Error {
  return refuse('unavailable', 'The bus is not connected.', { retry_after_s: 1 })
}
