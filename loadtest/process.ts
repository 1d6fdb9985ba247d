// One process of the product, or of a program beside it: started on ports of its own, started again when it ends, and
// stopped, killed or paused from outside. All processes end with the calling process.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { until } from './program.ts'

/** One replica of a service; `number` counts from 0. */
export type Process = {
  service: string
  number: number
  url: string
  adminUrl: string
  opsUrl: string
  pid(): number
  isReady(waitMs?: number): Promise<boolean>
  /** Resolves when it is ready, in another process than `unlike`; throws after four minutes. */
  ready(unlike?: number): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Sends the signal and waits until a new process is ready; returns how long that took, in milliseconds. */
  restart(name: NodeJS.Signals): Promise<number>
  /** SIGKILL for the whole process group; resolves when it is gone. */
  killGroup(): Promise<void>
  /** Ends it in order and for good; resolves with the exit status, or null where it had to be killed. */
  stop(): Promise<number | null>
}
export type Env = Record<string, string>
/**
 * `program` is a path below the root of a checkout, of this one where `tree` is absent; `env` is read again at each start, and of equal
 * names the last one holds.
 */
export type Plan = { service: string; number: number; program: string; env: Env[]; tree?: (() => string) | undefined }

export const root = join(import.meta.dirname, '..')
const READY_MS = 240_000 // All start at once, and a machine may have two cores for eighteen of them.
const STARTS_MAX = 5
const RESTART_MS = 300
const STOP_MS = 30_000
const children = new Set<ChildProcess>()

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
process.once('exit', () => {
  for (const child of children) killGroup(child)
})

/** Starts programs and waits until each is ready; when one does not become ready, all end and this throws. */
export async function startProcesses(plans: Plan[]): Promise<Process[]> {
  const processes: Process[] = []
  for (const plan of plans) processes.push(await startProcess(plan))
  try {
    await Promise.all(processes.map((one) => one.ready()))
  } catch (error) {
    await Promise.all(processes.map((one) => one.stop()))
    throw error
  }
  return processes
}

async function startProcess({ service, number, program, env, tree = () => root }: Plan): Promise<Process> {
  const [port, opsPort] = [await freePort(), await freePort()]
  const adminPort = program.startsWith('services/') ? port : await freePort()
  const ports = { PORT: String(port), ADMIN_PORT: String(adminPort), OPS_PORT: String(opsPort) }
  const urlOf = (one: number) => `http://127.0.0.1:${one}`
  let isStopping = false
  let endsBeforeReady = 0
  let said = 'nothing' // By /readyz, last.
  let child: ChildProcess
  let gone: Promise<number | null>
  begin()

  function begin(): void {
    const started = spawn(process.execPath, [program], {
      cwd: tree(),
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: Object.assign({ PATH: '/usr/local/bin:/usr/bin:/bin' }, ...env, ports) as Env,
    })
    child = started
    children.add(started)
    gone = new Promise((resolve) => started.once('exit', resolve))
    started.once('exit', () => {
      children.delete(started)
      endsBeforeReady += 1
      setTimeout(() => {
        if (!isStopping) begin()
      }, RESTART_MS).unref()
    })
  }

  async function isReady(waitMs = 2_000): Promise<boolean> {
    try {
      const response = await fetch(`${urlOf(opsPort)}/readyz`, { signal: AbortSignal.timeout(waitMs) })
      said = (await response.text()).trim()
      return response.ok
    } catch (error) {
      said = String(error) // It does not listen yet, or does not answer in time.
      return false
    }
  }

  const self: Process = {
    service,
    number,
    url: urlOf(port),
    adminUrl: urlOf(adminPort),
    opsUrl: urlOf(opsPort),
    isReady,
    pid: () => child.pid ?? 0,
    async ready(unlike = 0) {
      const isNew = async () => child.pid !== unlike && (await isReady())
      const isDecided = async () => (await isNew()) || endsBeforeReady > STARTS_MAX
      const isInTime = await until(isDecided, READY_MS)
      if (!isInTime || endsBeforeReady > STARTS_MAX) throw new Error(`${service} ${number} is not ready: ${said}`)
      endsBeforeReady = Number.NEGATIVE_INFINITY // From now on a fault may end it any number of times.
    },
    signal: (name) => void child.kill(name),
    async restart(name) {
      const [began, pid] = [performance.now(), child.pid]
      child.kill(name)
      await self.ready(pid)
      return performance.now() - began
    },
    async killGroup() {
      killGroup(child)
      await gone
    },
    async stop() {
      isStopping = true
      child.kill('SIGTERM')
      const slow = setTimeout(() => killGroup(child), STOP_MS)
      const code = await gone
      clearTimeout(slow)
      return code
    },
  }
  return self
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // It ended by itself in between.
  }
}

// Below the range that the system uses for connections, so that a process finds its port free at each start; each is
// used once, since its owner does not listen yet when the next one is looked for.
let lastPort = randomInt(15_000, 31_000)

/** A port that no program of this run has had. */
export async function freePort(): Promise<number> {
  do lastPort += 1
  while (!(await isFree(lastPort)))
  return lastPort
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
