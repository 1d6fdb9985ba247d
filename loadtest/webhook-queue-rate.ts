// Owns the webhook throughput: what the kernel counted for one worker and for its connections of PostgreSQL, divided by what
// arrived. Once from a queue that is full, where shops come with several deliveries at once, and once event by event.
import { cpuBetween, readCpu } from './bench/cpu.ts'
import { sendSteadily, type Windows } from './webhook-queue-flow.ts'
import type { Ground, Worker } from './webhook-queue-ground.ts'
import { makeSide } from './webhook-queue-others.ts'
import { fillQueue } from './webhook-queue-shops.ts'
import type { Row } from './webhook-queue-table.ts'

export type RateSize = { shops: number; each: number; steady: Omit<Windows, 'rounds'>; profile: string | null }
type Work = { count: number; seconds: number; workerUs: number; postgresUs: number }

const LOOK_MS = 50

export async function measureRate(ground: Ground, { shops, each, steady, profile }: RateSize): Promise<Row[]> {
  const alive = Array<string[]>(shops).fill([ground.sink.url('/ok')])
  const side = await makeSide(ground, 'rate', alive)
  const db = await ground.schema(side.url, 1)
  for (const { endpointIds } of side.shops) {
    for (const id of endpointIds) await fillQueue(db, id, each, { dueInS: -3_600, step: 0, isOneObject: false })
  }
  await db.rows('vacuum analyze')
  const nodeArgs = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const worker = await ground.worker(side.url, {}, nodeArgs)
  await arrived(ground, shops * each * 0.2) // The first part finds code that is not compiled yet.
  const full = await measureWork(ground, worker, () => arrived(ground, shops * each * 0.95)) // At the end some are idle.
  await arrived(ground, shops * each)
  const single = await measureWork(ground, worker, async () => {
    await sendSteadily(worker.broker, side.shops, steady)
    await arrived(ground, shops * each + steady.perSecond * steady.seconds)
  })
  await worker.end('SIGTERM')
  await db.close()
  await ground.drop(side.url)
  await ground.sink.take()
  return [
    {
      what: 'from a full queue',
      figure: `${full.count} deliveries at ${shops} endpoints, ${(full.count / full.seconds).toFixed(0)} a second`,
    },
    ...perCore('from a full queue', full),
    ...perCore(`one by one at ${steady.perSecond} a second, hand-over included`, single),
  ]
}

function perCore(when: string, { workerUs, postgresUs }: Work): Row[] {
  const perSecond = 1_000_000 / (workerUs + postgresUs)
  return [
    {
      what: `${when}: CPU a delivery`,
      figure: `worker ${workerUs.toFixed(0)}, postgres ${postgresUs.toFixed(0)} us: ${perSecond.toFixed(0)} a second on one core`,
    },
  ]
}

async function measureWork(ground: Ground, worker: Worker, work: () => Promise<void>): Promise<Work> {
  const [before, beganAt, beganCount] = [await readWork(worker), performance.now(), await ground.sink.count()]
  await work()
  const [after, endedAt, endedCount] = [await readWork(worker), performance.now(), await ground.sink.count()]
  const [spent, count] = [cpuBetween(before, after), endedCount - beganCount]
  const us = (name: string) => (spent.get(name) ?? 0) / 1_000 / count
  return { count, seconds: (endedAt - beganAt) / 1_000, workerUs: us('worker'), postgresUs: us('postgres') }
}

async function readWork(worker: Worker) {
  const backends = await worker.backends()
  return readCpu([['worker', worker.pid], ...backends.map((pid): [string, number] => ['postgres', pid])])
}

async function arrived(ground: Ground, count: number): Promise<void> {
  while ((await ground.sink.count()) < count) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
}
