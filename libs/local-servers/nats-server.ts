// A nats-server of our own, for the distributed form on one machine and for tests, where NATS_URL names none.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endWithUs } from './end-with-us.ts'
import { findProgram } from './find-program.ts'

export type NatsServer = {
  url: string
  port: number
  pid: number
  /** Resolves when the server has ended for any reason. */
  exited: Promise<void>
  stop(): Promise<void>
  kill(): Promise<void>
}

const START_WAIT_MS = 10_000

/** The program on the PATH, or null. */
export function findNatsServer(path: string): string | null {
  return findProgram('nats-server', path)
}

/**
 * Starts one on the loopback and waits until it listens. With `port` 0 it takes a free one, which no other program can take in between;
 * `flags` and `env` are the program's own. It works on one processor, as in docker-compose.yml and the chart: with more, its threads
 * mostly wake each other (docs/performance.md).
 */
export async function startNatsServer(
  program: string,
  port = 0,
  flags: string[] = [],
  env: Record<string, string> = {},
): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-'))
  const where = port === 0 ? ['--port', '-1', '--ports_file_dir', folder] : ['--port', String(port)]
  const child = spawn(program, ['--addr', '127.0.0.1', ...where, ...flags], {
    stdio: 'ignore',
    env: { GOMAXPROCS: '1', ...env },
    detached: true, // Ctrl-C in the terminal must reach only the services, which still need the bus to finish.
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  if (child.pid !== undefined) endWithUs(child.pid, 'TERM', exited)
  const chosen = await listening(child, () => (port === 0 ? portIn(folder) : port)).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  )
  return {
    url: `nats://127.0.0.1:${chosen}`,
    port: chosen,
    pid: child.pid ?? 0,
    exited,
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  }
}

/** The port that the server has written into its file of ports, or null. */
function portIn(folder: string): number | null {
  const [name] = readdirSync(folder)
  const [, port] = /:(\d+)"/.exec(name === undefined ? '' : readFileSync(join(folder, name), 'utf8')) ?? []
  return port === undefined ? null : Number(port)
}

async function listening(child: ChildProcess, portOf: () => number | null): Promise<number> {
  const until = Date.now() + START_WAIT_MS
  while (Date.now() < until && child.exitCode === null) {
    const port = portOf()
    if (port !== null && (await accepts(port))) return port
    await sleep(25)
  }
  child.kill('SIGKILL')
  throw new Error(`nats-server did not start on port ${portOf() ?? 'that it chose'}.`)
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1')
    const answer = (yes: boolean) => {
      socket.destroy()
      resolve(yes)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}
