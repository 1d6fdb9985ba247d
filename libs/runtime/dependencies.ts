// The other services that the services of a process call: which of them answer, for readiness and metrics
// (docs/spec/running.md#readiness). A process without a required one is not ready. Without an optional one it is degraded:
// the calls to that service fail, and everything else works.
import type { Middleware, ServiceBroker } from 'moleculer'
import { refuse } from '#contracts/errors'
import type { Log } from '#telemetry/log'
import type { Metrics } from '#telemetry/metrics'
import { middleware } from './middlewares/middleware.ts'
import type { ServiceDefinition } from './service.ts'

export type Dependencies = {
  /** The services of which no replica is known now. */
  missing(broker: ServiceBroker): Promise<{ required: string[]; optional: string[] }>
  /** Writes the metric of each dependency. */
  measure(broker: ServiceBroker, metrics: Metrics): Promise<void>
  /**
   * Lets a service start only when its optional dependencies are known, or after a moment without them. Refuses `unavailable` calls of
   * actions that no replica answers.
   */
  middleware: Middleware
}

// A replica that starts beside running services knows them after a round trip. Without this wait it would refuse its first requests.
const KNOWN_MS = 3_000
const LOOK_MS = 20
const RETRY_AFTER_S = 2

export function openDependencies(services: ServiceDefinition[], log: Log): Dependencies {
  const required = new Set(services.flatMap(({ dependencies }) => dependencies))
  const all = new Set([...required, ...services.flatMap(({ optionalDependencies = [] }) => optionalDependencies)])
  return {
    async missing(broker) {
      const names = await missingOf(broker, all)
      return {
        required: names.filter((name) => required.has(name)),
        optional: names.filter((name) => !required.has(name)),
      }
    },
    async measure(broker, metrics) {
      const names = await missingOf(broker, all)
      for (const dependency of all) metrics.dependencies.set({ dependency }, names.includes(dependency) ? 0 : 1)
    },
    middleware: middleware('dependencies', {
      async serviceStarting({ name, broker }) {
        const { optionalDependencies = [] } = services.find((service) => service.name === name) ?? {}
        const absent = await missingOf(broker, new Set(optionalDependencies), KNOWN_MS)
        if (absent.length > 0) log.info(`${name} starts without ${absent.join(', ')}`)
      },
      call: (next) => async (action, params, options) => {
        try {
          return await next(action, params, options)
        } catch (error) {
          if (!isUnanswered(error)) throw error
          throw refuse('unavailable', `No replica answers ${action}.`, { retry_after_s: RETRY_AFTER_S })
        }
      },
    }),
  }
}

// Moleculer tells which services it knows only by waiting for them, by default for as short a time as it can.
async function missingOf(broker: ServiceBroker, names: ReadonlySet<string>, waitMs = 1): Promise<string[]> {
  if (names.size === 0) return []
  try {
    await broker.waitForServices([...names], waitMs, Math.min(waitMs, LOOK_MS))
    return []
  } catch (error) {
    const missing = unavailableIn(error)
    if (missing.length === 0) throw error
    return missing
  }
}

// Moleculer found no node to send the call to.
function isUnanswered(error: unknown): boolean {
  const { type } = error as { type?: unknown }
  return type === 'SERVICE_NOT_FOUND' || type === 'SERVICE_NOT_AVAILABLE'
}

/** The services that Moleculer waited for in vain, from its error; none for any other error. */
export function unavailableIn(error: unknown): string[] {
  const { type, data } = error as { type?: string; data?: { statuses: { name: string; available: boolean }[] } }
  if (type !== 'WAITFOR_SERVICES' || data === undefined) return []
  return data.statuses.filter(({ available }) => !available).map(({ name }) => name)
}
