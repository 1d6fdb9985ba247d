// Owns the process that is killed: a service as it runs in production, on the settings of the chaos.
import { type ChildProcess, spawn } from 'node:child_process'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { ServiceBroker } from 'moleculer'

export type ServiceProcess = {
  nodeId: string
  /** Settles when the process is gone. */
  gone: Promise<void>
  kill(): Promise<void>
}
/** Which service is killed, and a call that tells that it answers. */
export type Victim = { name: string; probe: { action: string; params: object; meta: object } }
type ProcessSettings = { databaseUrl: string; natsServers: string[]; secretKey: string }

const WAIT_MS = 30_000
const folder = join(import.meta.dirname, '..')
const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL') // A chaos that fails leaves nothing behind.
})

/** Starts it and waits until it answers a call. */
export async function startVictim(
  victim: Victim,
  settings: ProcessSettings,
  broker: ServiceBroker,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [`services/${victim.name}/main.ts`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      DATABASE_URL: settings.databaseUrl,
      NATS_URL: settings.natsServers.join(','),
      SECRET_KEY: settings.secretKey,
      OPS_PORT: '0',
      LOG_LEVEL: 'fatal',
    },
  })
  alive.add(child)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void gone.then(() => alive.delete(child))
  const nodeId = `${victim.name}-${hostname()}-${child.pid}-1`
  const started = { nodeId, gone, kill }
  const end = Date.now() + WAIT_MS
  while (!(await answers(victim, broker, nodeId))) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`)
    if (Date.now() > end) throw new Error('The service does not answer.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return started

  async function kill() {
    child.kill('SIGKILL')
    await gone
  }
}

function answers({ probe }: Victim, broker: ServiceBroker, nodeId: string): Promise<boolean> {
  return broker.call(probe.action, probe.params, { meta: probe.meta, nodeID: nodeId, timeout: 500 }).then(
    () => true,
    () => false, // Not there yet; the caller asks again.
  )
}
