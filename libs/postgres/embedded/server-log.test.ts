// What the log of the embedded PostgreSQL holds, who can read it, and how large it gets (docs/spec/running.md#embedded-mode).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { until } from '#testing/until'
import { type Embedded, startEmbedded } from './embedded.ts'

let dataDir: string
let server: Embedded
const folder = () => join(dataDir, 'postgres')
const logFile = () => join(folder(), 'log', 'server.log')
const modeOf = (path: string) => statSync(path).mode & 0o777
const refusal = 'FATAL:  password authentication failed'

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'storefront-log-'))
  mkdirSync(folder())
  for (const name of ['server.log', 'server.log.1']) writeFileSync(join(folder(), name), 'ada@example.com')
  server = await startEmbedded({ dataDir, log: () => undefined })
})
afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true })
})

async function query(text: string, password?: string): Promise<unknown[]> {
  const url = new URL(server.url)
  if (password !== undefined) url.password = password
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Makes the server write a line: the refusal of a login. */
async function untilLogged(): Promise<string> {
  await expect(query('select 1', 'wrong')).rejects.toThrow('password authentication failed')
  const logged = () => readFileSync(logFile(), 'utf8')
  await until(() => logged().includes(refusal))
  return logged()
}

test('it holds no value of a row or statement, and only its owner can read it', async () => {
  await query("create table people (email text unique); insert into people values ('ada@example.com')")
  const again = query("insert into people values ('ada@example.com')")
  await expect(again).rejects.toMatchObject({ code: '23505', detail: expect.stringContaining('ada@example.com') })
  await expect(query("select 'ada@example.com'::integer")).rejects.toMatchObject({ code: '22P02' })
  expect(await untilLogged()).not.toContain('ada@example.com')
  expect(await query('show log_error_verbosity')).toEqual([{ log_error_verbosity: 'terse' }])
  expect([modeOf(dirname(logFile())), modeOf(logFile())]).toEqual([0o700, 0o600])
})

test('one that an earlier version left readable by everybody is removed', () => {
  expect(readdirSync(folder()).filter((name) => name.startsWith('server.log'))).toEqual([])
})

test('it is moved aside and emptied when it is full, and the server goes on writing to it', async () => {
  appendFileSync(logFile(), Buffer.alloc(5_000_001, '.'))
  await until(() => statSync(logFile()).size < 5_000_000)
  expect((await untilLogged()).length).toBeLessThan(100_000)
  expect(modeOf(`${logFile()}.1`)).toBe(0o600)
})
