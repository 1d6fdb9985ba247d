// A nats-server with a login for each service, for all forms that start one themselves: `npm run stack`, tests and load programs.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calls } from '#contracts/calls'
import { type NatsServer, startNatsServer } from '#local-servers/nats-server'
import { busLogins, passwordVariable } from '../bus-logins.ts'

export type Bus = {
  port: number
  pid(): number
  /** Resolves when the server that runs now has ended for any reason. */
  exited(): Promise<void>
  /** NATS_URL of a service, with its login; without one for a name that is not a service of the product. */
  urlOf(service: string): string
  stop(): Promise<void>
  kill(): Promise<void>
  /** Starts it again on its port with the same logins, after it was stopped or killed. */
  restart(): Promise<void>
}

// As helm/nats.conf. Tests go without: several brokers of a busy test process may not answer a ping for a second.
const PINGS = 'ping_interval: "500ms"\nping_max: 2\n'

/** Starts one on the loopback. `namespace` is that of the brokers; `pings`: as in production, a process that hangs loses its share. */
export async function startBus(program: string, namespace?: string, { pings = false } = {}): Promise<Bus> {
  const passwords = new Map(Object.keys(calls).map((service) => [service, `p${randomBytes(24).toString('hex')}`]))
  const env = Object.fromEntries([...passwords].map(([service, password]) => [passwordVariable(service), password]))
  let server = await start(0)
  return {
    port: server.port,
    pid: () => server.pid,
    exited: () => server.exited,
    urlOf(service) {
      const password = passwords.get(service)
      return `nats://${password === undefined ? '' : `${service}:${password}@`}127.0.0.1:${server.port}`
    },
    stop: () => server.stop(),
    kill: () => server.kill(),
    async restart() {
      server = await start(server.port)
    },
  }

  // The file is read once, at the start.
  async function start(port: number): Promise<NatsServer> {
    const folder = mkdtempSync(join(tmpdir(), 'bus-'))
    try {
      writeFileSync(join(folder, 'nats.conf'), `${pings ? PINGS : ''}${busLogins(namespace)}`)
      return await startNatsServer(program, port, ['--config', join(folder, 'nats.conf')], env)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
