// Runs the program of docs/guides/agents.md as it is written there, up to what it prints. An operator decides in the browser.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { childEnv } from '#testing/child-env'
import { duringTests } from '#testing/during-tests'
import { type Agents, agentsEnv, cookieOf, openAgents } from '#testing/product/agents'
import { openStack } from '#testing/product/stack'

const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/guides/agents.md'), 'utf8')
const [, program = ''] = /```js\n([^]*?)```/.exec(guide) ?? []
const [, printed = ''] = /```text\nOpen [^\n]*\n([^]*?)```/.exec(guide) ?? []
const stack = duringTests(() => openStack({ form: 'one-process', env: agentsEnv }))
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'storefront-agent-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the program; `decide` gets the address that it prints, and answers where the browser is sent at last. */
async function runProgram(
  decide: (opened: URL) => Promise<URL>,
): Promise<{ out: string; err: string; status: unknown }> {
  const file = join(folder, 'agent.mjs')
  writeFileSync(file, program.replaceAll('8765', String(await freePort())))
  const address = `http://127.0.0.1:${stack.mcpPorts[0]}/api/mcp/connect`
  const child = execFile(process.execPath, [file, address], { env: childEnv })
  let [out, err] = ['', '']
  child.stderr?.on('data', (text: string) => (err += text))
  const ended = once(child, 'close')
  let browser: Promise<unknown> | undefined
  child.stdout?.on('data', (text: string) => {
    out += text
    const [, opened] = /^Open (\S+)\n/.exec(out) ?? []
    if (opened !== undefined) browser ??= decide(new URL(opened)).then((to) => fetch(to))
  })
  const [status] = (await ended) as [unknown]
  await browser
  return { out, err, status }
}

test('the program of the guide signs in, and prints what the guide shows', async () => {
  const agents = openAgents(stack)
  const shop = await stack.makeShop({ name: 'The Gift Room' })
  const { out, err, status } = await runProgram((opened) => agents.consent(opened, { shop: shop.id, access: 'read' }))
  expect([status, err]).toEqual([0, ''])
  expect(out.slice(out.indexOf('\n') + 1)).toBe(printed)
  const [grant] = (await stack.admin('GET', `/shops/${shop.id}/agents`)).data as { client: object }[]
  expect(grant?.client).toMatchObject({ name: 'My agent', registration: 'registered' })
})

test('the program of the guide is told that the operator refused', async () => {
  const agents = openAgents(stack)
  const { err, status } = await runProgram((opened) => refuse(agents, opened))
  expect(status).not.toBe(0)
  expect(err).toContain('access_denied')
})

test('the guide names the version of the client that is tested', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const name = '@modelcontextprotocol/client'
  expect(guide).toContain(`npm install ${name}@${devDependencies[name]}\n`)
})

async function refuse(agents: Agents, opened: URL): Promise<URL> {
  const asked = await agents.ask('GET', opened.pathname + opened.search)
  const id = /\/connect\/([\w-]+)$/.exec(asked.headers.location ?? '')?.[1] ?? ''
  const { data } = await stack.admin('POST', `/authorizations/${id}/refuse`, {})
  const answer = await agents.goOn(new URL((data as { redirectTo: string }).redirectTo), cookieOf(asked))
  return new URL(String(answer.headers.location))
}

/** A port that nobody uses, for the page of the program: below those that the system gives to the servers of other tests meanwhile. */
async function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}
