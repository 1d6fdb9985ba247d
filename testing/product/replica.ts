// A further replica of a service of a running stack, in a process of its own, for tests that kill it.
import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { childEnv } from '../child-env.ts'
import { until } from '../until.ts'
import { ADMIN_TOKEN, SECRET_KEY, type Stack } from './stack.ts'

/** `port`: where it listens; 0 for a service that does not. */
export type Replica = {
  pid: number
  port: number
  /** Sends the signal, calls `then`, and waits for the end of the process. After SIGKILL the process has ended before `then`. */
  end(signal: 'SIGKILL' | 'SIGTERM', then?: () => Promise<unknown>): Promise<void>
}

/** Starts one beside those of the stack, which must be distributed; ends with this process at the latest. */
export async function startReplica(stack: Stack, service: string, env: Record<string, string> = {}): Promise<Replica> {
  const { bus } = stack
  if (bus === null) throw new Error('There is no bus.')
  const ports = { PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0' }
  const settings = { NATS_URL: bus.serversOf(service).join(','), SECRET_KEY, ADMIN_TOKEN, DATA_DIR: '/nowhere' }
  const child = spawn(process.execPath, ['testing/product/service-process.ts', service, bus.namespace], {
    env: { ...childEnv, ...ports, ...settings, TMPDIR: tmpdir(), ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const portIn = () => /^ready (\d+)$/m.exec(said)?.[1]
  await until(() => portIn() !== undefined || hasEnded(child))
  if (portIn() === undefined) throw new Error(`The replica of ${service} ended at its start.`)
  return {
    pid: child.pid ?? 0,
    port: Number(portIn()),
    async end(signal, then) {
      if (hasEnded(child)) return
      child.kill(signal)
      if (signal === 'SIGKILL') await gone
      await then?.()
      await gone
    },
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
