// `npm start` and `npm run stack` as somebody at a terminal, or a script, starts and stops them
// (docs/spec/running.md#process-ends, docs/spec/running.md#embedded-mode).
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { findProgram } from '#local-servers/find-program'
import { findNatsServer } from '#local-servers/nats-server'
import { childEnv } from '#testing/child-env'
import { until } from '#testing/until'
import { describeWhere } from '#testing/where-possible'

type Started = { pid: number; said(): string; complaints(): string; tree(): number[] }

const root = join(import.meta.dirname, '../..')
const path = process.env.PATH ?? ''
const END_MS = 10_000 // The contract's.
const firstPort = 31_100 + (process.pid % 80) * 20 // Above those of loadtest/process.ts, below those that the system assigns.
const ports = { PORT: String(firstPort), ADMIN_PORT: String(firstPort + 1), OPS_PORT: String(firstPort + 2) }
let dataDir: string

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'storefront-npm-'))
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const begun: number[] = []
// What a failed test has left running would hold the ports of the next one.
afterEach(() => {
  for (const pid of begun.splice(0).flatMap((one) => [...descendantsOf(one), one])) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended, as it should.
    }
  }
})

/** Runs npm as the leader of a process group, as a shell does. */
function runNpm(args: string[], env: Record<string, string> = {}): Started {
  const options = {
    cwd: root,
    detached: true,
    env: { ...childEnv, HOME: dataDir, DATA_DIR: dataDir, ...ports, ...env },
  }
  const child = spawn('npm', ['--no-update-notifier', ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    text.out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    text.err += chunk.toString()
  })
  const pid = child.pid ?? 0
  begun.push(pid)
  // On a busy machine a start says what it waits for.
  const isWarning = (line: string) => /"level":[456]0/.test(line) && !line.includes('still starting')
  const warnings = () => text.out.split('\n').filter(isWarning)
  return {
    pid,
    said: () => text.out,
    complaints: () => [...warnings(), text.err].join('\n'),
    tree: () => [pid, ...descendantsOf(pid)],
  }
}

function processes(): { pid: number; parent: number; name: string }[] {
  const rows = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' }).trim().split('\n')
  return rows.flatMap((row) => {
    const [pid = '', parent = '', state = '', ...name] = row.trim().split(/\s+/)
    return state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), name: name.join(' ') }]
  })
}

function descendantsOf(pid: number): number[] {
  const all = processes()
  const found = [pid]
  for (const one of found) for (const other of all) if (other.parent === one) found.push(other.pid)
  return found.slice(1)
}

/** Sends the signal, waits until no process of the tree runs, and returns how long that took. */
async function end(
  { pid, tree }: Pick<Started, 'pid' | 'tree'>,
  signal: NodeJS.Signals,
  toGroup: boolean,
): Promise<number> {
  const members = new Set(tree())
  expect(members.size).toBeGreaterThan(3)
  const began = performance.now()
  process.kill(toGroup ? -pid : pid, signal)
  await until(() => !processes().some((one) => members.has(one.pid)))
  return performance.now() - began
}

const ways: [string, NodeJS.Signals, boolean][] = [
  ['SIGTERM to npm', 'SIGTERM', false],
  ['Ctrl-C, which the whole group gets and npm forwards', 'SIGINT', true],
]

describe('npm start', () => {
  test.each(ways)(
    'listens on 127.0.0.1 only, and fills the demo shop after its banner; %s ends all of it within 10 s, without a warning',
    async (_name, signal, toGroup) => {
      const npm = runNpm(['start'])
      await until(() => /Filling the demo shop: \d+ of/.test(npm.said()))
      for (const port of Object.values(ports).map(Number)) {
        expect([await knock('127.0.0.1', port), await knock('127.0.0.2', port)]).toEqual(['connected', 'ECONNREFUSED'])
      }
      expect(npm.said().indexOf('Storefront is ready')).toBeLessThan(npm.said().indexOf('Filling the demo shop'))
      expect(await end(npm, signal, toGroup)).toBeLessThan(END_MS)
      expect(npm.complaints()).toBe('')
    },
    60_000,
  )
})

describeWhere(findProgram('script', path) !== null, 'a terminal needs the program script.')(
  'npm start at a terminal',
  () => {
    test('shows one line of progress and no line for each request; closing the terminal, a SIGHUP, ends all of it in order, within 10 s', async () => {
      const file = join(dataDir, 'terminal.log')
      const child = spawn('script', ['-qefc', 'npm --no-update-notifier start', file], {
        cwd: root,
        stdio: 'ignore',
        env: { ...childEnv, HOME: dataDir, DATA_DIR: dataDir, ...ports },
      })
      begun.push(child.pid ?? 0)
      const shown = () => readFileSync(file, 'utf8')
      await until(() => {
        try {
          return (shown().match(/Filling the demo shop: \d+ of/g) ?? []).length >= 2
        } catch {
          return false // The file is not there yet.
        }
      })
      const lines = shown().split('\n')
      expect(lines.filter((line) => /INFO|WARN|ERROR/.test(line))).toEqual([])
      expect(lines.filter((line) => line.includes('Filling the demo shop'))).toHaveLength(1)
      const pid = child.pid ?? 0
      expect(await end({ pid, tree: () => descendantsOf(pid) }, 'SIGKILL', false)).toBeLessThan(END_MS)
      expect(existsSync(join(dataDir, 'lock'))).toBe(false) // The last step of a stop in order removes it.
    }, 60_000)
  },
)

describeWhere(findNatsServer(path) !== null, 'a bus of its own needs nats-server on the PATH.')('npm run stack', () => {
  const few = 'catalog=0,contacts=0,orders=0,subscriptions=0,webhooks=0,mcp-gateway=0'

  test.each(ways)(
    '%s ends all of it within 10 s, without a warning',
    async (_name, signal, toGroup) => {
      const npm = runNpm(['run', 'stack', '--', '--replicas', few], { DEMO: 'false' })
      await until(() => npm.said().includes('Storefront is ready'))
      expect(await end(npm, signal, toGroup)).toBeLessThan(END_MS)
      expect(npm.complaints()).toBe('')
    },
    90_000,
  )

  test('starts its NATS again when that ends, and the product goes on; SIGHUP to npm ends all of it within 10 s', async () => {
    const npm = runNpm(['run', 'stack', '--', '--replicas', few], { DEMO: 'false' })
    await until(() => npm.said().includes('Storefront is ready'))
    const token = /Admin token +(\S+)/.exec(npm.said())?.[1]
    const url = `http://127.0.0.1:${ports.ADMIN_PORT}/admin/v1/shops`
    const status = async () => (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status
    expect(await status()).toBe(200)
    const members = new Set(npm.tree())
    const nats = processes().find(({ pid, name }) => members.has(pid) && name === 'nats-server')
    process.kill(nats?.pid ?? 0, 'SIGKILL')
    await until(() => npm.complaints().includes('stack: nats ended and is started again'))
    await until(async () => (await status()) === 200)
    expect(await end(npm, 'SIGHUP', false)).toBeLessThan(END_MS)
  }, 90_000)
})

function knock(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    const answer = (text: string) => {
      socket.destroy()
      resolve(text)
    }
    socket.once('connect', () => answer('connected'))
    socket.once('error', (error: NodeJS.ErrnoException) => answer(error.code ?? ''))
  })
}
