// Owns the processes of the distributed form for chaos and load: so many replicas of each service, each `node
// services/<name>/main.ts` as in production, started again when they end, as an orchestrator would.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'

export type Replica = {
  service: string
  number: number
  url: string
  opsUrl: string
  pid(): number
  isReady(waitMs?: number): Promise<boolean>
  /** Settles when it is ready, in a process that is not the one of `unlike`. */
  ready(unlike?: number): Promise<void>
  signal(name: NodeJS.Signals): void
}
export type Replicas = { all: Replica[]; of(service: string): Replica[]; stop(): Promise<void> }
/** `env`: settings of this service alone, read at each start, so that a change holds from the next start on. */
type Plan = { service: string; count: number; env?: Record<string, string> }

const READY_MS = 240_000 // All start at once, and a machine may have two cores for eighteen of them.
const AGAIN_MS = 300
const given = new Set<number>()
const root = join(import.meta.dirname, '..')

/** Starts all and waits until each is ready. What they say on stderr goes to ours. */
export async function startReplicas(plan: Plan[], env: Record<string, string>): Promise<Replicas> {
  let isStopping = false
  const children = new Set<ChildProcess>()
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', killAll)

  async function start({ service, env: settings }: Plan, number: number): Promise<Replica> {
    const [port, opsPort] = [await freePort(), await freePort()]
    const ports = { PORT: String(port), ADMIN_PORT: String(port), OPS_PORT: String(opsPort) }
    let child = begin()
    function begin(): ChildProcess {
      const own = spawn(process.execPath, [`services/${service}/main.ts`], {
        cwd: root,
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...env, ...settings, ...ports },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      children.add(own)
      own.once('exit', () => {
        children.delete(own)
        if (isStopping) return
        setTimeout(() => {
          if (!isStopping) child = begin()
        }, AGAIN_MS)
      })
      return own
    }
    const opsUrl = `http://127.0.0.1:${opsPort}`
    const isReady = (waitMs = 2_000) => answersWell(`${opsUrl}/readyz`, waitMs)
    const replica: Replica = {
      service,
      number,
      url: `http://127.0.0.1:${port}`,
      opsUrl,
      pid: () => child.pid ?? 0,
      isReady,
      async ready(unlike = 0) {
        const until = Date.now() + READY_MS
        while (child.pid === unlike || !(await isReady())) {
          if (Date.now() > until) throw new Error(`${service} ${number} is not ready.`)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      },
      signal: (name) => void child.kill(name),
    }
    return replica
  }

  const all: Replica[] = []
  for (const one of plan) {
    for (let number = 0; number < one.count; number += 1) all.push(await start(one, number))
  }
  try {
    await Promise.all(all.map((replica) => replica.ready()))
  } catch (error) {
    isStopping = true
    killAll()
    throw error
  }
  return {
    all,
    of: (service) => all.filter((replica) => replica.service === service),
    async stop() {
      isStopping = true
      const ends = [...children].map((child) => new Promise<void>((resolve) => child.once('exit', () => resolve())))
      for (const child of children) child.kill('SIGTERM')
      const slow = setTimeout(killAll, 30_000)
      await Promise.all(ends)
      clearTimeout(slow)
      process.off('exit', killAll)
    },
  }
}

async function answersWell(url: string, waitMs: number): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(waitMs) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false // Nobody listens yet, or not in time.
  }
}

// Below those that the system gives to connections: a replica finds its port free again each time it is started.
// Each is given once: who got it does not listen yet when the next one is looked for.
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
