// The embedded PostgreSQL of a start without DATABASE_URL: a real server from npm, its cluster in the data folder.
// docs/spec/running.md#embedded-mode
// Protocol: the folder is locked. A cluster is created under another name and renamed, so that a half-made one is never used. A
// server that a killed start left behind is ended first. A server that is killed is started again on its port.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { whyUnusable } from '#files/unusable'
import { type EmbeddedLog, installedProgram, runnableProgram } from './program.ts'
import { type Cluster, type Server, serverEnv, startServer } from './server.ts'
import { removeOpenLog } from './server-log.ts'
import { canEnter, chooseUser, type ServerUser } from './system-user.ts'
import { lockFolder } from './folder-lock.ts'

export type Embedded = { url: string; stop(): Promise<void> }
/** `settings` are settings of PostgreSQL that win over the product's own, such as `fsync=off` for tests. */
export type EmbeddedOptions = { dataDir: string; log: EmbeddedLog; settings?: string[] }

const name = 'storefront'
const restartsPerMinuteMax = 5

/**
 * Starts PostgreSQL on `dataDir` and returns the URL of its database, for a superuser. Throws an Error of one line that names
 * DATA_DIR when the folder is in use or the server cannot start. `stop` ends the server, frees the folder, and may be called twice.
 */
export async function startEmbedded({ dataDir, log, settings = [] }: EmbeddedOptions): Promise<Embedded> {
  const lock = lockFolder(dataDir)
  try {
    const folder = join(resolve(dataDir), 'postgres')
    const cluster = { ...(await prepareCluster(folder, log)), settings }
    const password = readPassword(folder)
    const server = await startServer(cluster, null)
    const url = `postgres://${name}:${password}@127.0.0.1:${server.port}/${name}`
    const supervised = keepRunning(cluster, server, log)
    try {
      await ensureDatabase(url)
    } catch (error) {
      await supervised.stop()
      throw error
    }
    return {
      url,
      async stop() {
        await supervised.stop()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    const reason = whyUnusable(error) ?? (error instanceof Error ? error.message : String(error))
    throw new Error(`DATA_DIR is ${dataDir}, but PostgreSQL cannot run there: ${reason.replace(/\.?$/, '.')}`)
  }
}

async function prepareCluster(folder: string, log: EmbeddedLog): Promise<Cluster> {
  mkdirSync(folder, { recursive: true })
  // The server's user needs to pass through this folder to its own one, but not to list it.
  chmodSync(folder, 0o711)
  const data = join(folder, 'data')
  const user = chooseUser(data)
  const program = runnableProgram(installedProgram(), user, folder, log)
  const cluster = {
    program,
    data,
    dataArgument: dataArgumentFor(folder, data, user),
    logFile: join(folder, 'log', 'server.log'),
    user,
  }
  removeOpenLog(join(folder, 'server.log'))
  if (!existsSync(join(data, 'PG_VERSION'))) await makeCluster(folder, cluster)
  return cluster
}

// The server's user cannot reach a project below a closed home such as /root by its path. The server is started in its folder
// before it changes its user, and then finds it as its own working directory, which needs no path.
function dataArgumentFor(folder: string, data: string, user: ServerUser): string {
  if (canEnter(user, folder)) return data
  if (existsSync('/proc/self/cwd')) return '/proc/self/cwd'
  throw new Error(`It does not run as root, and no other user can enter ${folder}. Set DATA_DIR to an open folder.`)
}

async function makeCluster(folder: string, cluster: Cluster): Promise<void> {
  const aside = join(folder, 'data.new')
  const passwordForInit = join(folder, 'password.init')
  rmSync(aside, { recursive: true, force: true })
  mkdirSync(aside, { mode: 0o700 })
  const password = randomBytes(24).toString('base64url')
  writePrivate(join(folder, 'password'), password)
  writePrivate(passwordForInit, password)
  const { uid, gid } = cluster.user
  if (uid !== undefined && gid !== undefined) for (const path of [aside, passwordForInit]) chownSync(path, uid, gid)
  try {
    await runInitdb({
      ...cluster,
      data: aside,
      dataArgument: cluster.dataArgument === cluster.data ? aside : cluster.dataArgument,
    })
  } finally {
    rmSync(passwordForInit, { force: true })
  }
  renameSync(aside, cluster.data)
}

// The collation is PostgreSQL's own C.UTF-8: the same order on every machine, whatever locales its system has.
// Without fsync here only: a cluster that a power cut destroys at this moment is still empty.
function runInitdb(cluster: Cluster): Promise<void> {
  const flags = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-sync']
  const child = spawn(
    join(cluster.program, 'bin', 'initdb'),
    [
      '-D',
      cluster.dataArgument,
      '-U',
      name,
      '--auth=scram-sha-256',
      '--pwfile=../password.init',
      ...flags,
      '--no-instructions',
    ],
    { ...cluster.user, cwd: cluster.data, env: serverEnv, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  return new Promise((resolvePromise, reject) => {
    let output = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolvePromise()
      else reject(new Error(`The database could not be created: ${output.trim().replaceAll('\n', ' ').slice(0, 500)}`))
    })
  })
}

function writePrivate(file: string, content: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, `${content}\n`, { mode: 0o600, flag: 'wx' })
}

function readPassword(folder: string): string {
  const file = join(folder, 'password')
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  throw new Error(`The database's password is missing (${file}). Put it back, or remove ${folder} to start empty.`)
}

// initdb does not create the database. It is looked up first, so that a kill between the two steps does no harm.
async function ensureDatabase(url: string): Promise<void> {
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  const client = new pg.Client({ connectionString: maintenance.href })
  client.on('error', () => undefined) // The statement under way fails, and that is reported.
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [name])
    if (found.rowCount === 0) await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
}

// A server that is killed is started on the same port, so that the pools reconnect to it.
function keepRunning(cluster: Cluster, first: Server, log: EmbeddedLog): { stop(): Promise<void> } {
  let server: Server | null = first
  let stopping = false
  let recovery: Promise<void> = Promise.resolve()
  const restarts: number[] = []

  const watch = (current: Server) => {
    void current.exited.then(() => {
      server = null
      if (!stopping) recovery = restart(current.port)
    })
  }
  const restart = async (port: number) => {
    const now = performance.now()
    restarts.push(now)
    if (restarts.filter((time) => now - time < 60_000).length > restartsPerMinuteMax) {
      log(`PostgreSQL ended ${restartsPerMinuteMax + 1} times within a minute and stays down (${cluster.logFile}).`)
      return
    }
    log('PostgreSQL ended unexpectedly and is started again.')
    try {
      server = await startServer(cluster, port)
      watch(server)
    } catch (error) {
      log(error instanceof Error ? error.message : String(error))
    }
  }
  watch(first)
  return {
    async stop() {
      stopping = true
      await recovery
      await server?.stop()
    },
  }
}
