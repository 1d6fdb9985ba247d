// PgBouncer for tests: between the product and the test server, on a free port.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findProgram } from '#local-servers/find-program'
import { until } from '../until.ts'

export type Pooler = { urlOf(url: string): string; stop(): Promise<void> }
export type PoolMode = 'session' | 'transaction'

/** The path of the program; null where it is not installed. Debian has it outside the PATH of ordinary users. */
export const pgbouncer = findProgram('pgbouncer', `${process.env.PATH ?? ''}:/usr/sbin`)

/** The modes in which the installed version can carry the product: prepared statements by transaction came with 1.21. */
export function poolModes(): PoolMode[] {
  if (pgbouncer === null) return []
  const [, major = '0', minor = '0'] =
    /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(pgbouncer, ['--version']).toString()) ?? []
  return Number(major) > 1 || Number(minor) >= 21 ? ['session', 'transaction'] : ['session']
}

/** Starts it in front of the server of `url`. `users` are its logins with their passwords. */
export async function startPooler(url: string, mode: PoolMode, users: Record<string, string>): Promise<Pooler> {
  if (pgbouncer === null) throw new Error('There is no PgBouncer.')
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  chmodSync(folder, 0o755) // It refuses to run as root, and becomes another user.
  const { hostname, port: serverPort } = new URL(url)
  const port = await freePort()
  const lines = Object.entries(users).map(([name, password]) => `"${name}" "${password}"\n`)
  writeFileSync(join(folder, 'users.txt'), lines.join(''), { mode: 0o644 })
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users.txt'),
    pool_mode: mode,
    ignore_startup_parameters: 'options,extra_float_digits',
    max_client_conn: 500,
    default_pool_size: 50,
    ...(mode === 'transaction' ? { max_prepared_statements: 200 } : {}),
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
  }
  const options = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  const server = `* = host=${hostname} port=${serverPort}\n`
  writeFileSync(join(folder, 'pgbouncer.ini'), `[databases]\n${server}[pgbouncer]\n${options.join('')}`, {
    mode: 0o644,
  })
  const child = spawn(pgbouncer, [join(folder, 'pgbouncer.ini')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const urlOf = (direct: string) => {
    const through = new URL(direct)
    through.host = `127.0.0.1:${port}`
    return through.href
  }
  const stop = async () => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer has ended: ${said}`)
      return isAnswering(urlOf(url))
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { urlOf, stop }
}

// A refusal is an answer as well.
async function isAnswering(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.end()
    return true
  } catch (error) {
    return (error as { code?: string }).code !== 'ECONNREFUSED'
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM') // Ends at once, with its connections.
  await ended
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
