// Replicas of every service over one bus and database, each with settings of its own: for tests in which replicas differ.
import { readConfig } from '#config/config'
import { type RunningProcess, startProcess } from '#runtime/process'
import { openLog } from '#telemetry/log'
import { services } from '../../deploy/services.ts'
import type { Bus } from './deployment-forms.ts'

export const FLEET_TOKEN = 'an-operator-token-for-tests-only'

/** `publicPort` and `adminPort` are those of REST and of the back office. */
export type Fleet = { running: RunningProcess[]; publicPort: number; adminPort: number; stop(): Promise<void> }

/** Starts one replica of each service. `envOf` returns its environment, with SECRET_KEY and DATABASE_URL. */
export async function startFleet(
  bus: Bus,
  namespace: string,
  envOf: (service: string) => NodeJS.ProcessEnv,
): Promise<Fleet> {
  const log = openLog('silent', 'test')
  const own = { PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0', DEMO: 'false', ADMIN_TOKEN: FLEET_TOKEN }
  const started = await Promise.allSettled(
    services.map((service) => {
      const config = readConfig({ ...own, ...envOf(service.name) }, 'embedded')
      const settings = { ...config, secretKey: String(config.secretKey), natsServers: bus.serversOf(service.name) }
      return startProcess({ services: [service], settings, log, namespace })
    }),
  )
  const running = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const stop = async () => {
    for (const one of running.toReversed()) await one.stop() // Gateways first.
  }
  const failed = started.find((one) => one.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  const portOf = (name: string) => running.flatMap(({ ports }) => ports[name] ?? [])[0] ?? 0
  return { running, publicPort: portOf('rest-gateway'), adminPort: portOf('admin-gateway'), stop }
}
