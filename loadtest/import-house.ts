// Owns the house in which large imports are tried: every service a process of its own, over real NATS, on a database of
// its own in a folder that goes away. The importing process can be measured and killed by itself.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readConfig } from '#config/config'
import { openLog } from '#telemetry/log'
import { findNatsServer, startNatsServer } from '#runtime/nats-server'
import { asInImage } from '../deploy/dev/runtime-environment.ts'
import { prepareGround } from '../deploy/dev/infrastructure.ts'
import { services } from '../deploy/services.ts'

export type ImportHouse = {
  adminUrl: string
  token: string
  databaseUrl: string
  /** Starts it again after it was killed, and waits until it answers. */
  start(service: string): Promise<void>
  /** kill -9. */
  kill(service: string): Promise<void>
  /** The most memory the process ever had, in MB, as the kernel counts it. */
  peakMb(service: string): number
  stop(): Promise<void>
}

const WAIT_MS = 180_000 // The machine may be busy with other things.
const root = join(import.meta.dirname, '..')
const children = new Map<string, ChildProcess>()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
process.once('exit', () => {
  for (const child of children.values()) child.kill('SIGKILL') // A try that fails leaves nothing behind.
})

/** Starts all but the public gateways; `folder` takes the database and the uploads. */
export async function openHouse(folder: string): Promise<ImportHouse> {
  const program = findNatsServer('')
  if (program === null) throw new Error('There is no nats-server.')
  const nats = await startNatsServer(program)
  const port = await freePort()
  const token = randomBytes(24).toString('hex')
  const secret = randomBytes(32).toString('hex')
  const given = { DATA_DIR: join(folder, 'data'), ADMIN_TOKEN: token, SECRET_KEY: secret, LOG_LEVEL: 'fatal' }
  const ground = await prepareGround(readConfig(given, 'embedded'), openLog('fatal', 'ground'))
  const env = {
    ...given,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TMPDIR: folder,
    ...asInImage(join(folder, 'compiled')),
    NATS_URL: nats.url,
    DATABASE_URL: ground.settings.databaseUrl,
    OPS_PORT: '0',
    ADMIN_PORT: String(port),
  }
  const adminUrl = `http://127.0.0.1:${port}/admin/v1`
  const names = services
    .map(({ name }) => name)
    .filter((name) => name === 'admin-gateway' || !name.endsWith('-gateway'))
  const begin = (name: string) => {
    const settings = name === 'admin-gateway' ? env : { ...env, ADMIN_TOKEN: undefined, ADMIN_PORT: undefined }
    const program = join(root, 'services', name, 'main.ts')
    children.set(name, spawn(process.execPath, [program], { env: settings, stdio: ['ignore', 'ignore', 'inherit'] }))
  }
  for (const name of names) begin(name)
  await answered()
  return {
    adminUrl,
    token,
    databaseUrl: ground.settings.databaseUrl,
    async start(name) {
      begin(name)
      await answered()
    },
    kill: (name) => end(name, 'SIGKILL'),
    peakMb(name) {
      const status = readFileSync(`/proc/${children.get(name)?.pid}/status`, 'utf8')
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
    },
    async stop() {
      await Promise.all(names.toReversed().map((name) => end(name, 'SIGTERM')))
      await ground.stop()
      await nats.stop()
    },
  }

  async function answered(): Promise<void> {
    const until = Date.now() + WAIT_MS
    const headers = { authorization: `Bearer ${token}` }
    const ask = () =>
      fetch(`${adminUrl}/shops`, { headers }).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await ask())) {
      if (Date.now() > until) throw new Error('The back office does not answer.')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

async function end(name: string, signal: NodeJS.Signals): Promise<void> {
  const child = children.get(name)
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
