// The product of `npm start` on free ports with a filled demo shop, in a data folder that is removed at the end.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnv } from '../child-env.ts'

export type DemoProduct = {
  /** Signs the demo owner in, once. */
  signInUrl: string
  /** Calls a path below `/admin/v1` and returns `data` of the answer; `file` is the CSV file of an import. */
  call<Data>(method: 'GET' | 'POST', path: string, file?: string): Promise<Data>
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../..')

/** Resolves when the shop is filled; throws what the product said when it ends before, or cannot fill the shop. */
export async function startDemoProduct(): Promise<DemoProduct> {
  const dataDir = mkdtempSync(join(tmpdir(), 'storefront-screenshots-'))
  const child = spawn(process.execPath, ['deploy/dev/start.ts'], {
    cwd: root,
    env: { ...childEnv, DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  }
  let said = ''
  const filled = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('The demo shop is filled.')) resolve()
      if (said.includes('The demo shop is not filled')) reject(new Error(said))
    })
    child.once('close', () => reject(new Error(`The product ended: ${said}`)))
  })
  try {
    await filled
  } catch (error) {
    await stop()
    throw error
  }
  const valueOf = (name: string) => new RegExp(`${name} +(\\S+)`).exec(said)?.[1] ?? ''
  const [office, token] = [valueOf('Back office'), valueOf('Admin token')]
  return {
    signInUrl: valueOf('Sign-in link'),
    async call<Data>(method: 'GET' | 'POST', path: string, file?: string) {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(file === undefined ? {} : { 'content-type': 'text/csv' }),
      }
      const response = await fetch(`${office}${path}`, { method, headers, body: file ?? null })
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
      return ((await response.json()) as { data: Data }).data
    },
    stop,
  }
}
