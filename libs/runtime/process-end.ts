// How a process ends: in order after a signal, with the process that started it, or because it cannot start
// (docs/spec/running.md#shutdown, docs/spec/running.md#process-ends). It ends by itself when nothing is left to do. The forced end
// after it is for handles that stay open.
import type { Log } from '#telemetry/log'

/** `withinMs`: after this time the process ends whatever it still does. `withParent`: as after a signal when its parent ends. */
type StopOptions = { withinMs?: number; withParent?: boolean }

const STOP_MS = 25_000
const END_MS = 1_000
const REPEATED_MS = 1_000 // npm forwards the Ctrl-C that the terminal has sent to this process too.
const LOOK_MS = 250

/**
 * Stops on SIGTERM, SIGINT and SIGHUP, within 25 s; a further signal ends the process at once. The result is aborted when the
 * stop begins.
 */
export function stopOnSignal(
  stop: () => Promise<void>,
  log: Log,
  { withinMs = STOP_MS, withParent = false }: StopOptions = {},
): AbortSignal {
  const stopping = new AbortController()
  let began = 0
  const begin = (signal: string) => {
    if (stopping.signal.aborted) {
      if (performance.now() - began > REPEATED_MS) process.exit(1)
      return
    }
    began = performance.now()
    stopping.abort()
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), withinMs).unref()
    stop().then(
      () => end(0),
      (error: unknown) => {
        log.error({ error }, 'stopping failed')
        end(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, begin)
  // A terminal that was closed takes no more output; without a listener that would end the process in the middle of its stop.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
  if (withParent) {
    const parent = process.ppid
    const look = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(look)
      begin('end of the parent')
    }, LOOK_MS)
    look.unref()
  }
  return stopping.signal
}

/** Ends this process at once when the one that started it with an IPC channel has ended in whatever way. */
export function endWithStarter(): void {
  if (process.channel === undefined) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel.unref() // Only the work of this process keeps it alive.
}

/** Writes one line about a start that failed, and ends the process. */
export function failToStart(name: string, error: unknown): void {
  process.stderr.write(`${name}: ${lineOf(error)}\n`)
  end(1)
}

// process.exit waits for V8's compiler threads, and one of them may wait for the main thread: about one start in sixty never
// ended. Open handles may keep the process alive, so it gets a moment only.
function end(code: number): void {
  process.exitCode = code
  setTimeout(() => process.exit(), END_MS).unref()
}

// A host with several addresses fails with an error for each, below an error without a message.
function lineOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return lineOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
