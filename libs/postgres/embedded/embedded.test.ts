// However a start has ended, the next one works and finds every row that was answered. docs/spec/running.md#embedded-mode
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Embedded, startEmbedded } from './embedded.ts'
import { installedProgram, runnableProgram } from './program.ts'
import { startServer } from './server.ts'
import { chooseUser } from './system-user.ts'
import { processMark } from './process-identity.ts'

const moduleFile = fileURLToPath(new URL('./embedded.ts', import.meta.url))
let outer: string
let dataDir: string
let running: Embedded[]
let lines: string[]

beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'storefront-embedded-'))
  chmodSync(outer, 0o755)
  dataDir = join(outer, 'data')
  running = []
  lines = []
})
afterEach(async () => {
  for (const server of running) await server.stop()
  rmSync(outer, { recursive: true, force: true })
})

async function start(): Promise<Embedded> {
  const server = await startEmbedded({ dataDir, log: (line) => lines.push(line) })
  running.push(server)
  return server
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => lines.push('connection lost'))
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

function serverPid(): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** A start in a process of its own that can be killed; returns the URL once it is ready. */
async function startParent(): Promise<{ parent: ChildProcess; url: string }> {
  const code = `
    import { startEmbedded } from ${JSON.stringify(moduleFile)}
    const { url } = await startEmbedded({ dataDir: process.argv[1], log: console.error })
    console.log(url)
    setInterval(() => {}, 1000)`
  const parent = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code, dataDir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (parent.stdout === null) throw new Error('The parent has no output.')
  for await (const url of createInterface({ input: parent.stdout })) return { parent, url }
  throw new Error('The parent ended before it was ready.')
}

async function killParent(parent: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => parent.once('exit', resolve))
  parent.kill('SIGKILL')
  await ended
}

describe('a start', () => {
  test('starts a durable UTF-8 PostgreSQL 18 that only the password opens', async () => {
    const { url } = await start()
    const [row] = await query(
      url,
      `select current_database() as database, current_user as "user", current_setting('server_version_num')::int / 10000 as version,
        current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as synchronous_commit, current_setting('max_connections') as connections,
        current_setting('listen_addresses') as addresses, current_setting('TimeZone') as zone, upper('grün') as "upper"`,
    )
    expect(row).toEqual({
      database: 'storefront',
      user: 'storefront',
      version: 18,
      encoding: 'UTF8',
      fsync: 'on',
      synchronous_commit: 'on',
      connections: '200',
      addresses: '127.0.0.1',
      zone: 'UTC',
      upper: 'GRÜN',
    })
    expect(statSync(join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600)
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/)
  })

  test('after another one finds its rows, and the server of the first has ended', async () => {
    const first = await start()
    await query(first.url, 'create table kept as select 1 as id')
    const pid = serverPid()
    await first.stop()
    await first.stop()
    expect(processMark(pid)).toBeNull()

    const second = await start()
    expect(await query(second.url, 'select id from kept')).toEqual([{ id: 1 }])
  })

  test('on a folder in use is refused in one line, and the first keeps running', async () => {
    const first = await start()
    await expect(start()).rejects.toThrow(`The data folder ${dataDir} is in use by process ${process.pid}.`)
    expect(await query(first.url, 'select 1 as id')).toEqual([{ id: 1 }])
  })

  test('on a folder that another process uses is refused, and two at once leave one', async () => {
    const { parent } = await startParent()
    try {
      await expect(start()).rejects.toThrow(`The data folder ${dataDir} is in use by process ${parent.pid}.`)
    } finally {
      await killParent(parent)
    }
    const both = await Promise.allSettled([start(), start()])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

test('a folder that the server may not write is tried once and refused in words that name DATA_DIR', async () => {
  const first = await start()
  await first.stop()
  const data = join(dataDir, 'postgres', 'data')
  chmodSync(data, 0o500)
  await expect(start()).rejects.toThrow(
    new RegExp(
      `^DATA_DIR is ${dataDir}, but PostgreSQL cannot run there: .*could not create lock file .*Permission denied`,
    ),
  )
  chmodSync(data, 0o700)
  const log = readFileSync(join(dataDir, 'postgres', 'log', 'server.log'), 'utf8')
  expect(log.match(/could not create lock file/g)).toHaveLength(1)
})

describe('after kill -9', () => {
  test('of the server it is started again on its port with every answered row', async () => {
    const { url } = await start()
    await query(url, 'create table kept as select generate_series(1, 1000) as id')
    const pid = serverPid()
    process.kill(pid, 'SIGKILL')
    await until(() =>
      query(url, 'select 1')
        .then(() => serverPid() !== pid)
        .catch(() => false),
    )
    expect(await query(url, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }])
    expect(lines).toContain('PostgreSQL ended unexpectedly and is started again.')
  })

  test('of the parent the server ends by itself, and the next start finds every answered row', async () => {
    const { parent, url } = await startParent()
    await query(url, 'create table kept as select generate_series(1, 1000) as id')
    const pid = serverPid()
    await killParent(parent)
    await until(() => processMark(pid) === null)
    const next = await start()
    expect(await query(next.url, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }])
  })

  test('of the parent and the server at once, the next start works at once', async () => {
    const { parent, url } = await startParent()
    await query(url, 'create table kept as select 1 as id')
    process.kill(serverPid(), 'SIGKILL')
    await killParent(parent)
    const next = await start()
    expect(await query(next.url, 'select id from kept')).toEqual([{ id: 1 }])
  })

  test('while a cluster is created, the next start creates it again', async () => {
    const first = await start()
    await first.stop()
    // What such a kill leaves: the half-made folder under its first name, and no finished one.
    cpSync(join(dataDir, 'postgres', 'data', 'base'), join(dataDir, 'postgres', 'data.new', 'base'), {
      recursive: true,
    })
    rmSync(join(dataDir, 'postgres', 'data'), { recursive: true })
    const next = await start()
    expect(await query(next.url, 'select 1 as id')).toEqual([{ id: 1 }])
  })
})

describe('a stale postmaster.pid', () => {
  async function startOverStalePid(pid: number): Promise<void> {
    const first = await start()
    const file = join(dataDir, 'postgres', 'data', 'postmaster.pid')
    const content = readFileSync(file, 'utf8')
    await first.stop()
    writeFileSync(file, content.replace(/^\d+/, String(pid)))
    const next = await start()
    expect(await query(next.url, 'select 1 as id')).toEqual([{ id: 1 }])
  }

  test('of a process that is gone does not prevent the start', async () => {
    const gone = spawn('true')
    await new Promise((resolve) => gone.once('exit', resolve))
    await startOverStalePid(gone.pid ?? 0)
  })

  test('whose number another program now has neither prevents the start nor harms that program', async () => {
    const user = chooseUser(join(dataDir, 'postgres', 'data'))
    const other = spawn('sleep', ['60'], { ...user, cwd: '/' })
    try {
      await startOverStalePid(other.pid ?? 0)
      expect(processMark(other.pid ?? 0)).not.toBeNull()
    } finally {
      other.kill('SIGKILL')
    }
  })

  test('of a server that still runs on the folder stops that server first', async () => {
    const first = await start()
    await query(first.url, 'create table kept as select 1 as id')
    await first.stop()
    const folder = join(dataDir, 'postgres')
    const data = join(folder, 'data')
    const user = chooseUser(data)
    const program = runnableProgram(installedProgram(), user, folder, (line) => lines.push(line))
    const logFile = join(folder, 'log', 'server.log')
    const orphan = await startServer({ program, data, dataArgument: data, logFile, user }, null)
    const next = await start()
    await orphan.exited
    expect(await query(next.url, 'select id from kept')).toEqual([{ id: 1 }])
  })
})

describe('the program', () => {
  test('gets its library links where an installation without scripts did not make them', () => {
    const broken = join(outer, 'package')
    cpSync(join(installedProgram(), '..'), broken, { recursive: true, verbatimSymlinks: true })
    const native = join(broken, 'native')
    const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[]
    for (const { target } of links) rmSync(join(broken, target))
    expect(runnableProgram(native, chooseUser(dataDir), join(dataDir, 'postgres'), (line) => lines.push(line))).toBe(
      native,
    )
    expect(lines).toEqual([])
  })
})

const asRoot = describeWhere(process.getuid?.() === 0, 'what the embedded PostgreSQL does for root needs root.')
asRoot('as root', () => {
  test('a data folder that no other user can enter works, and the server runs as another user', async () => {
    chmodSync(outer, 0o700)
    const first = await start()
    expect(await query(first.url, 'select 1 as id')).toEqual([{ id: 1 }])
    expect(statSync(`/proc/${serverPid()}`).uid).not.toBe(0)
    process.kill(serverPid(), 'SIGKILL')
    await until(() =>
      query(first.url, 'select 1')
        .then(() => true)
        .catch(() => false),
    )
    await first.stop()
    const second = await start()
    expect(await query(second.url, 'select 1 as id')).toEqual([{ id: 1 }])
  })
})
