// The product as `npm start` starts it, in a process of its own, for tests that stop or kill it.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { childEnv } from '../child-env.ts'
import { until } from '../until.ts'
import { type BackOffice, openBackOffice } from './back-office.ts'
import { type Answer, exchange } from './http.ts'

export type StartedProduct = BackOffice & {
  get(target: string, key: string): Promise<Answer>
  post(target: string, key: string, body: object, idempotencyKey: string): Promise<Answer>
  /** Ends the process, as an operator or, with SIGKILL, as a crash does. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

const START = join(import.meta.dirname, '../../deploy/dev/start.ts')
const ports = { PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0' }

/** Starts the product with these settings. Throws what it has said where it ends instead. */
export async function startProduct(settings: Record<string, string>): Promise<StartedProduct> {
  const env = { ...childEnv, ...ports, DEMO: 'false', WEBHOOK_ALLOW_PRIVATE: 'true', ...settings }
  const child = spawn(process.execPath, [START], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await until(() => said.includes('Admin token') || child.exitCode !== null)
  if (child.exitCode !== null) throw new Error(said)
  const valueOf = (name: string) => new RegExp(`${name} +(\\S+)`).exec(said)?.[1] ?? ''
  const port = Number(new URL(valueOf('Base URL')).port)
  return {
    ...openBackOffice(Number(new URL(valueOf('Back office')).port), valueOf('Admin token')),
    get: (target, key) => exchange(port, target, { headers: { authorization: `Bearer ${key}` } }),
    post(target, key, body, idempotencyKey) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const sent = { method: 'POST', headers: { ...headers, 'idempotency-key': idempotencyKey } }
      return exchange(port, target, { ...sent, body: JSON.stringify(body) })
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await ended
    },
  }
}
