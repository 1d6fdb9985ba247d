// The processes of `npm run stack`: a replica or a NATS that ends is started again, as an orchestrator would.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findNatsServer } from '#local-servers/nats-server'
import { type Bus, startBus } from './bus.ts'
import type { Replica } from './replicas.ts'

export type Supervised = {
  /** Ends it in order, and after this time with SIGKILL. */
  stop(withinMs: number): Promise<void>
}

const RESTART_MS = 500
const root = join(import.meta.dirname, '../..')

/** Runs one replica. It ends when this process ends for any reason, by its IPC channel. */
export function superviseReplica(
  { service, number }: Replica,
  { env, args }: { env: NodeJS.ProcessEnv; args: string[] },
): Supervised {
  const program = join(root, 'services', service.name, 'main.ts')
  let stopping = false
  let child: ChildProcess
  const start = () => {
    child = spawn(process.execPath, [program, ...args], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true, // Ctrl-C in the terminal must reach only this process, which stops the others in order.
    })
    child.once('exit', (code, signal) => {
      if (stopping) return
      say(`${service.name} ${number} ended (${signal ?? code}) and is started again`)
      setTimeout(() => {
        if (!stopping) start()
      }, RESTART_MS)
    })
  }
  start()
  return {
    stop(withinMs) {
      stopping = true
      if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
      return new Promise((resolve) => {
        const slow = setTimeout(() => child.kill('SIGKILL'), withinMs)
        child.once('exit', () => {
          clearTimeout(slow)
          resolve()
        })
        child.kill('SIGTERM')
      })
    },
  }
}

/** Runs a nats-server from the PATH; after its end it is started again on its port. Throws one line when there is none. */
export async function superviseNats(): Promise<Pick<Bus, 'port' | 'urlOf' | 'stop'>> {
  const program = findNatsServer(process.env.PATH ?? '')
  if (program === null)
    throw new Error('NATS_URL is not set and there is no nats-server on the PATH (Debian: nats-server).')
  let stopping = false
  const bus = await startBus(program, undefined, { pings: true })
  const watch = async (): Promise<void> => {
    await bus.exited()
    while (!stopping) {
      say('nats ended and is started again')
      await sleep(RESTART_MS)
      // A port that is still taken is free at a later attempt.
      const isBack =
        !stopping &&
        (await bus.restart().then(
          () => true,
          () => false,
        ))
      if (isBack && !stopping) return watch()
      if (isBack) await bus.stop()
    }
  }
  void watch()
  return {
    port: bus.port,
    urlOf: bus.urlOf,
    async stop() {
      stopping = true
      await bus.stop()
    },
  }
}

function say(line: string): void {
  process.stderr.write(`stack: ${line}\n`)
}
