// The start of a service as a process of its own on real NATS.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { childEnv } from '#testing/child-env'
import { describeWhere } from '#testing/where-possible'
import { findNatsServer, startNatsServer } from '#local-servers/nats-server'

const program = findNatsServer(process.env.PATH ?? '')
const withNats = describeWhere(program !== null, 'a bus of its own needs nats-server on the PATH.')

withNats('a service as a process of its own', () => {
  test('a start that blocks the event loop for longer than the watchdog allows still completes', async () => {
    const nats = await startNatsServer(program ?? '')
    const schema = '() => { const until = Date.now() + 4_500; while (Date.now() < until); return {} }'
    const service = `{ name: 'slow', storage: null, needsAdminToken: false, dependencies: [], schema: ${schema} }`
    const main = JSON.stringify(join(import.meta.dirname, 'main.ts'))
    const script = `import { runService } from ${main}; await runService(${service}); process.kill(process.pid, 'SIGTERM')`
    const env = { ...childEnv, NATS_URL: nats.url, SECRET_KEY: 'k'.repeat(32), OPS_PORT: '0' }
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env, stdio: 'ignore' })
    const ended = await new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
    await nats.stop()
    expect(ended).toEqual({ code: 0, signal: null })
  })

  test('a start without NATS logs repeatedly what it waits for', async () => {
    const service = "{ name: 'slow', storage: null, needsAdminToken: false, dependencies: [], schema: () => ({}) }"
    const main = JSON.stringify(join(import.meta.dirname, 'main.ts'))
    const script = `import { runService } from ${main}; await runService(${service})`
    const env = { ...childEnv, NATS_URL: 'nats://127.0.0.1:1', SECRET_KEY: 'k'.repeat(32), OPS_PORT: '0' }
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env, stdio: 'pipe' })
    let said = ''
    const saidTwice = new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (said.split('still starting: the bus is not connected').length > 2) resolve()
      }),
    )
    await saidTwice
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }, 60_000)
})
