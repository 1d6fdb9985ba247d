// The end of a process by a signal (docs/spec/running.md#watching).
import type { Log } from '#telemetry/log'

const STOP_MS = 25_000

/** Stops on SIGTERM and SIGINT, within 25 s; a second signal ends the process at once. */
export function stopOnSignal(stop: () => Promise<void>, log: Log): void {
  let stopping = false
  const onSignal = (signal: string) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), STOP_MS).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
