// The first session of a newcomer, as the README shows it: every command is taken from there, run against the product of `npm start`, and
// must say what the README says. docs/spec/command-line.md
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { childEnv } from '#testing/child-env'
import { until } from '#testing/until'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [, start = ''] = /^```sh\n(WEBHOOK_ALLOW_PRIVATE=true npm start)\n```/m.exec(readme) ?? []
const [, receive = ''] = /^```sh\n(node -e .*)\n```/m.exec(readme) ?? []
const [, session = ''] = /^```sh\n(npm run storefront -- webhooks create [^]*?)```/m.exec(readme) ?? []
const [, listed = ''] = /^```text\n(HAPPENED [^]*?)```/m.exec(readme) ?? []

let folder: string
let receiverPort: number
let receiver: ReturnType<typeof open>
let ports: { office: string; own: Record<string, string> }
const running: ChildProcess[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'storefront-newcomer-'))
  receiverPort = await freePort()
  receiver = open(receive, {}) // At once, before another program takes the port.
  // Free ports, and without the demo data, which take longer than the session.
  const own = { PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0', DATA_DIR: join(folder, 'data'), DEMO: 'false', HOME: folder }
  const product = open(start, own)
  await until(() => product.said().includes('Back office') || product.child.exitCode !== null)
  ports = { office: new URL(/Back office +(\S+)/.exec(product.said())?.[1] ?? '').port, own }
  await run(`npm run storefront -- shops create --handle demo --name Demo --currency GBP --time-zone UTC --mode test`)
  // The demo shop has endpoints of its own, which are older than that of the session.
  await run(`npm run storefront -- webhooks create http://localhost:9/demo --shop demo`)
})
afterAll(async () => {
  for (const child of running) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a line of the README; npm, which takes longer than the program that it starts, is left out. */
function open(line: string, env: Record<string, string>) {
  const command = line
    .replace('npm run storefront --', 'exec node cli/storefront.ts')
    .replace('npm start', 'exec node deploy/dev/start.ts')
    .replace(/^node/, 'exec node')
    .replaceAll('4000', String(receiverPort))
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const child = spawn('sh', ['-c', command], {
    cwd: root,
    env: { ...childEnv, PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  }
  return { child, said: () => text }
}

async function run(line: string): Promise<string> {
  const { child, said } = open(line, { ...ports.own, ADMIN_PORT: ports.office })
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  return said()
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

// What differs from run to run, and the spaces that align columns on a terminal.
function formOf(text: string): string[] {
  const masked = text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  return masked
    .trim()
    .split('\n')
    .map((line) => line.trim().replaceAll(/[\t ]+/g, ' '))
}

test('creates an endpoint, triggers an event, sees it arrive, lists the deliveries and repeats one, as the README shows it', async () => {
  const [create = '', trigger = '', list = '', retry = ''] = session.trim().split('\n')
  expect(await run(create)).toMatch(/^secret\s+whsec_/m)
  expect(await run(trigger)).toContain('order.paid')
  await until(async () => /delivered[^]*delivered/.test(await run(list)))
  expect(formOf(await run(list))).toEqual(formOf(listed))
  expect(await run(retry)).toMatch(/^status\s+200$/m)
  await until(() => (receiver.said().match(/"type":"order.paid"/g) ?? []).length === 2)
  expect(receiver.said()).toContain('"type":"order.created"')
})
