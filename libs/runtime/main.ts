// Starts one service as a process of its own: settings from the environment, then run until a signal. Such a process has a supervisor
// that restarts it, so its watchdog may end it when it hangs.
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { traceFieldsOf } from '#telemetry/trace-context'
import { startProcess } from './process.ts'
import { endWithStarter, failToStart, stopOnSignal } from './process-end.ts'
import type { ServiceDefinition, Settings } from './service.ts'
import { startWatchdog } from './watchdog.ts'

const NOTICE_MS = 2_000 // As often as load balancers usually check.

/** What the starter of a process tells it beside the settings. */
type Told = Pick<Settings, 'webhookAllowedOrigin'>

/** Runs one service; ends the process with one clear line when it cannot start. */
export async function runService(service: ServiceDefinition, told: Told = {}): Promise<void> {
  endWithStarter()
  try {
    const needs = { database: service.storage !== null, adminToken: service.needsAdminToken }
    const config = readConfig(process.env, 'service', needs)
    const settings: Settings = { ...config, ...told, secretKey: config.secretKey }
    const log = openLog(config.logLevel, service.name, undefined, traceFieldsOf(config))
    const running = await startProcess({ services: [service], settings, log, noticeMs: NOTICE_MS })
    // Not before: loading modules on a busy machine blocks the event loop for seconds, and the process gets no calls yet.
    startWatchdog(service.name)
    stopOnSignal(running.stop, log)
    log.info({ node: running.nodeId, ops_port: running.opsPort }, 'ready')
  } catch (error) {
    failToStart(service.name, error)
  }
}
