// Owns the whole product as a newcomer starts it, `deploy/dev/start.ts` on a folder of its own, and its violent end.
// It runs in a process group of its own, on free ports and with nothing of the caller's environment. run.md, Commands.
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `group`: the product's process group; its database is told by the closing of a pipe. `all`: the database as well. */
export type Reach = 'group' | 'all'

export type Product = {
  publicUrl: string
  adminUrl: string
  adminToken: string
  databaseUrl: string
  /** From the start of the program until it answered its first public call. */
  readyMs: number
  /** kill -9 of what still runs. It is found first; then `onKill` is called and the signals go out at once. */
  kill(reach: Reach, onKill?: () => void): Promise<void>
  /** Ctrl-C; gives the exit status, null where it had to be killed after 30 s. */
  stop(): Promise<number | null>
  /** What it wrote so far, line by line. */
  written(): string[]
}

const READY_MS = 90_000
const STOP_MS = 30_000
const root = join(import.meta.dirname, '..')

/** Starts it on `folder` and waits until it answers; throws with its last words where it does not. */
export async function startProduct(folder: string): Promise<Product> {
  const began = performance.now()
  const dataDir = join(folder, 'data')
  const child = spawn(process.execPath, ['deploy/dev/start.ts'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      TMPDIR: folder,
      DATA_DIR: dataDir,
      DEMO: 'false',
      LOG_LEVEL: 'warn',
      PORT: '0',
      ADMIN_PORT: '0',
      OPS_PORT: '0',
    },
  })
  const { pid } = child
  if (pid === undefined) throw new Error('The product could not be started.')
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const isGone = () => child.exitCode !== null || child.signalCode !== null
  const killGroup = () => signal(-pid, 'SIGKILL')
  process.once('exit', killGroup)
  void gone.then(() => process.off('exit', killGroup))

  let text = ''
  const banner = new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      text += chunk.toString()
      if (/Admin token {3}\S+\n/.test(text)) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void gone.then((code) => reject(new Error(`The product ended with ${code}: ${text.slice(-1_000)}`)))
    setTimeout(() => reject(new Error(`The product was not ready in time: ${text.slice(-1_000)}`)), READY_MS).unref()
  })
  try {
    await banner
    const publicUrl = said('Base URL').replace('/api/v1', '')
    const first = await fetch(`${publicUrl}/openapi.json`, { signal: AbortSignal.timeout(READY_MS) })
    if (!first.ok) throw new Error(`The first call was answered with ${first.status}.`)
    await first.arrayBuffer()
    return {
      publicUrl,
      adminUrl: said('Back office'),
      adminToken: said('Admin token'),
      databaseUrl: databaseUrlOf(dataDir),
      readyMs: performance.now() - began,
      kill,
      stop,
      written: () => text.split('\n'),
    }
  } catch (error) {
    await kill('all')
    throw error
  }

  function said(name: string): string {
    const found = new RegExp(`^ {2}${name} +(\\S+)$`, 'm').exec(text)?.[1]
    if (found === undefined) throw new Error(`The start did not say its ${name}: ${text}`)
    return found
  }

  async function kill(reach: Reach, onKill: () => void = () => undefined): Promise<void> {
    if (isGone()) return
    const below = reach === 'all' ? descendantsOf(pid ?? 0) : []
    onKill()
    killGroup()
    for (const one of below) signal(one, 'SIGKILL')
    await gone
  }

  async function stop(): Promise<number | null> {
    signal(pid ?? 0, 'SIGINT')
    const slow = setTimeout(killGroup, STOP_MS)
    const code = await gone
    clearTimeout(slow)
    return code
  }
}

// The database is not of the group: it has a session of its own, and so has each of its processes.
function descendantsOf(pid: number): number[] {
  const table = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = table.trim().split('\n')
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number))
  const found = [pid]
  for (const parent of found) for (const [one = 0, above] of pairs) if (above === parent) found.push(one)
  return found.slice(1)
}

function databaseUrlOf(dataDir: string): string {
  const password = readFileSync(join(dataDir, 'postgres', 'password'), 'utf8').trim()
  const port = readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[3]
  return `postgres://storefront:${password}@127.0.0.1:${port}/storefront`
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // It ended by itself in between.
  }
}
