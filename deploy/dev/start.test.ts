// What `npm start` prints, and what it says when a setting cannot be used: docs/spec/running.md#commands,
// docs/spec/running.md#environment.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnv } from '#testing/child-env'
import { createDatabase, type TestDatabase } from '#testing/database'
import { exchange } from '#testing/product/http'
import { until } from '#testing/until'

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await createDatabase()
  folder = mkdtempSync(join(tmpdir(), 'storefront-start-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

/** Starts the product with these settings, which must end it; returns what it writes to stderr. */
async function refusalOf(settings: Record<string, string>): Promise<string> {
  const ports = { PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0' }
  const env = {
    ...childEnv,
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.url,
    ...ports,
    ...settings,
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts')], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1)
  return said
}

test.each(['PORT', 'ADMIN_PORT', 'OPS_PORT'])('a used port is one line that names %s', async (setting) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, () => resolve()))
  const { port } = other.address() as AddressInfo
  expect(await refusalOf({ [setting]: String(port) })).toBe(
    `storefront: ${setting} is ${port}, but another program uses that port.\n`,
  )
  other.close()
})

test('a database that cannot be reached is one line that names DATABASE_URL and not its password', async () => {
  const names = 'storefront: DATABASE_URL names the database'
  expect(await refusalOf({ DATABASE_URL: 'postgres://me:secret@127.0.0.1:9/shop' })).toBe(
    `${names} shop at 127.0.0.1:9, which cannot be reached: nothing listens there.\n`,
  )
  const { host } = new URL(database.url)
  expect(await refusalOf({ DATABASE_URL: new URL('/nowhere', database.url).href })).toBe(
    `${names} nowhere at ${host}, which cannot be reached: it has no database of that name.\n`,
  )
})

test('a data folder that cannot be used is one line that names DATA_DIR', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(await refusalOf({ DATA_DIR: join(file, 'data') })).toBe(
    `storefront: The data folder ${file}/data cannot be used: a part of the path is not a folder. Set DATA_DIR to a folder that you may write.\n`,
  )
  expect(await refusalOf({ DATA_DIR: '/proc/storefront/data' })).toMatch(
    /^storefront: The data folder \/proc\/storefront\/data cannot be used: [^\n]+ Set DATA_DIR to a folder that you may write\.\n$/,
  )
  const taken = mkdtempSync(join(folder, 'taken-'))
  writeFileSync(join(taken, 'postgres'), '')
  expect(await refusalOf({ DATA_DIR: taken, DATABASE_URL: '' })).toBe(
    `storefront: DATA_DIR is ${taken}, but PostgreSQL cannot run there: something else has that name.\n`,
  )
})

test('the banner has a link that signs the demo owner in, once; each start prints another one', async () => {
  const first = await linkOf()
  const second = await linkOf()
  expect(second.code).not.toBe(first.code)
  expect(first.answers).toEqual([201, 401])
  expect(second).toMatchObject({ operator: first.operator, answers: [201, 401] })
  expect(first.operator).toMatchObject({ name: 'Demo owner', role: 'owner', shops: null })
})

test('the endpoints of the demo shop are at the receiver of each start, and reach it', async () => {
  const own = await createDatabase()
  const first = await endpointsOf(own.url, [])
  const second = await endpointsOf(own.url, first)
  await own.drop()
  expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
  for (const [index, { url, answer }] of second.entries()) {
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(url).not.toBe(first[index]?.url)
    expect([200, 500]).toContain(answer)
  }
}, 60_000)

// Starts the product until the endpoints of the demo shop are there, at other addresses than before, and sends a test to each.
async function endpointsOf(databaseUrl: string, before: { url: string }[]) {
  const product = await startDemo(join(folder, 'demo-endpoints'), databaseUrl)
  const [, office = '', token = ''] = /Back office +(\S+)[^]*Admin token +(\S+)/.exec(product.said()) ?? []
  const path = `${office}/shops/demo/webhook-endpoints`
  const headers = { authorization: `Bearer ${token}` }
  const list = async () => {
    const { data } = (await (await fetch(path, { headers })).json()) as { data: { id: string; url: string }[] }
    return data
  }
  const endpoints = await until(async () => {
    const now = await list()
    const isMoved = now.every(({ url }) => before.every((old) => old.url !== url))
    return now.length === 2 && isMoved ? now : null
  })
  const answers = await Promise.all(
    endpoints.map(async (endpoint) => {
      const sent = await fetch(`${path}/${endpoint.id}/test`, { method: 'POST', headers })
      return { ...endpoint, answer: ((await sent.json()) as { data: { status: number } }).data.status }
    }),
  )
  await product.stop()
  return answers
}

/** Starts the product with a demo shop in this folder, and resolves when it has printed its banner. */
async function startDemo(
  dataDir: string,
  databaseUrl = database.url,
): Promise<{ said(): string; stop(): Promise<void> }> {
  const ports = { PORT: '0', ADMIN_PORT: '0', OPS_PORT: '0' }
  const env = { ...childEnv, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...ports }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await until(() => said.includes('  curl ') || child.exitCode !== null)
  return {
    said: () => said,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Uses the link of the banner twice. */
async function linkOf() {
  const product = await startDemo(join(folder, 'demo'))
  const [, origin = '', code = ''] = /Sign-in link +(http:\S+)\/#code=(\S+)/.exec(product.said()) ?? []
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) }
  const use = () => exchange(Number(new URL(origin).port), '/admin/v1/session', sent)
  const [used, again] = [await use(), await use()]
  await product.stop()
  const { id: _id, lastSeenAt: _seen, ...operator } = (used.body as { data: Record<string, unknown> }).data
  return { code, answers: [used.status, again.status], operator }
}
