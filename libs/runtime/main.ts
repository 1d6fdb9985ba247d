// Owns the start of one service as a process of its own: settings from the environment, then run until a signal. Such a
// process has somebody who starts it again, so it may end itself when it hangs; the product in one process has nobody.
import { readConfig } from '#config/config'
import type { Service, Settings } from './house.ts'
import { openLog } from '#telemetry/log'
import { run, stopOnSignal } from './run.ts'
import { traceFieldsOf } from '#telemetry/trace-context'
import { startWatchdog } from './watchdog.ts'

const NOTICE_MS = 2_000 // As often as balancers usually look.
const END_MS = 1_000

/** Runs one service of this process; ends the process with one clear line when it cannot start. */
export async function runService(service: Service): Promise<void> {
  try {
    const needs = { database: service.storage !== null, adminToken: service.needsAdminToken }
    const config = readConfig(process.env, 'service', needs)
    const settings: Settings = { ...config, secretKey: config.secretKey ?? '' }
    const log = openLog(config.logLevel, service.name, undefined, traceFieldsOf(config))
    const running = await run({ services: [service], settings, log, noticeMs: NOTICE_MS })
    // Not before: loading modules on a busy machine holds the loop for seconds, and it is given no work yet.
    startWatchdog(service.name)
    stopOnSignal(running.stop, log)
    log.info({ node: running.nodeId, ops_port: running.opsPort }, 'ready')
  } catch (error) {
    process.stderr.write(`${service.name}: ${error instanceof Error ? error.message : String(error)}\n`)
    endWithFailure()
  }
}

// Not by process.exit at once: it waits for the engine's compiling threads, and one of those may wait for the main thread to
// make room for its code, so that the process would stay for ever (one start in sixty of a process that saves memory). What
// has begun may hold the process up, so it gets a moment only.
function endWithFailure(): void {
  process.exitCode = 1
  setTimeout(() => process.exit(), END_MS).unref()
}
