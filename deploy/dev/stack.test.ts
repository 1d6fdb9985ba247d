// `npm run stack` refuses replicas that cannot all have a port of their own, and fills a demo shop that has endpoints at its receiver.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findNatsServer } from '#local-servers/nats-server'
import { childEnv } from '#testing/child-env'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'

type Endpoint = { id: string; url: string }

// The invalid PORT ends the program once the replicas are accepted, before it starts anything.
function startWith(replicas: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['deploy/dev/stack.ts', '--replicas', replicas], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    env: { ...childEnv, PORT: 'none' },
  })
  return stdout + stderr
}

test('fifty REST gateways are refused: their ports end below those of the MCP gateways', () => {
  expect(startWith('orders=99,rest-gateway=50')).toBe(
    'stack: --replicas rest-gateway must be a number from 0 to 49. ' +
      'Replica n listens on PORT + n, and mcp-gateway from PORT + 50 on.\n',
  )
})

test('forty-nine REST gateways and ninety-nine of other services are accepted', () => {
  expect(startWith('orders=99,rest-gateway=49,mcp-gateway=99')).toMatch(/^stack: PORT/)
})

describeWhere(findNatsServer(process.env.PATH ?? '') !== null, 'a bus of its own needs nats-server on the PATH.')(
  'the demo shop of the stack',
  () => {
    test('has endpoints at the receiver of the stack, and reaches them', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'storefront-stack-'))
      // Above the ports of process-end.test.ts.
      const first = 32_710 + (process.pid % 2) * 20
      const ports = { PORT: String(first), ADMIN_PORT: String(first + 1), OPS_PORT: String(first + 2) }
      // What the first steps of the filling need.
      const few = 'contacts=0,orders=0,subscriptions=0,rest-gateway=0,mcp-gateway=0'
      const child = spawn(process.execPath, ['deploy/dev/stack.ts', '--replicas', few], {
        cwd: join(import.meta.dirname, '../..'),
        env: { ...childEnv, DATA_DIR: folder, ...ports },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = new Promise((resolve) => child.once('close', resolve))
      let said = ''
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString()
      })
      const path = `http://127.0.0.1:${ports.ADMIN_PORT}/admin/v1/shops/demo/webhook-endpoints`
      const ask = async <Data>(method: string, target: string): Promise<Data> => {
        const [, token = ''] = /Admin token +(\S+)/.exec(said) ?? []
        const answer = await fetch(target, { method, headers: { authorization: `Bearer ${token}` } })
        return ((await answer.json()) as { data: Data }).data
      }
      try {
        await until(() => said.includes('Admin token') || child.exitCode !== null)
        const endpoints = await until(async () => {
          const found = await ask<Endpoint[]>('GET', path)
          return found.length === 2 ? found : null
        })
        for (const { id, url } of endpoints) {
          expect(new URL(url).hostname).toBe('127.0.0.1')
          const { status } = await ask<{ status: number }>('POST', `${path}/${id}/test`)
          expect([200, 500]).toContain(status)
        }
      } finally {
        child.kill('SIGTERM')
        await ended
        rmSync(folder, { recursive: true, force: true })
      }
    }, 120_000)
  },
)
