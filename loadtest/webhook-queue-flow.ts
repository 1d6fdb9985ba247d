// Owns steady traffic of events and how long each takes to its receiver, side by side: the same traffic in windows that take
// turns, on a database with what might disturb it and on one without. Each has a worker of its own, which is held with SIGSTOP
// while the other has its turn: windows are short, so that what else the machine does falls on both.
import type { ServiceBroker } from 'moleculer'
import { residentMb } from './bench/cpu.ts'
import type { Ground, Worker } from './webhook-queue-ground.ts'
import { ingest, makeEvent, type Shop } from './webhook-queue-shops.ts'

/** The shops to which events happen, in turn. */
export type Side = { url: string; shops: Shop[] }
export type Windows = { rounds: number; seconds: number; perSecond: number }
export type Taken = {
  /** Milliseconds from the hand-over to the receiver, by the shop's place in `shops`. */
  ms: { place: number; ms: number }[]
  lost: number
  /** Of the worker, resident, at the end of each window. */
  memoryMb: number[]
}

// In the first rounds single halts of half a second come, on either side.
const WARM_ROUNDS = 10
const SETTLE_MS = 200
const LATE_MS = 30_000
const LOOK_MS = 50

/** Gives what was taken on each side, all windows together; a warm-up on each comes before. */
export async function takeTurns(ground: Ground, sides: [Side, Side], windows: Windows): Promise<[Taken, Taken]> {
  const workers = [await ground.worker(sides[0].url), await ground.worker(sides[1].url)] as const
  const taken: [Taken, Taken] = [emptyTaken(), emptyTaken()]
  hold(workers[1])
  for (let round = -WARM_ROUNDS; round < windows.rounds; round += 1) {
    for (const own of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      hold(workers[own === 0 ? 1 : 0])
      workers[own].signal('SIGCONT')
      // Held for more than six seconds, which late arrivals on the other side can bring, it has been given up by the bus.
      await workers[own].broker.waitForServices('webhooks')
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
      const window = await takeWindow(ground, workers[own], sides[own], windows)
      if (round < 0) continue
      taken[own].ms.push(...window.ms)
      taken[own].lost += window.lost
      taken[own].memoryMb.push(window.memoryMb)
    }
  }
  for (const worker of workers) await worker.end('SIGTERM')
  await ground.sink.take()
  return taken
}

const emptyTaken = (): Taken => ({ ms: [], lost: 0, memoryMb: [] })

// Who has not its turn stands still, so that it takes nothing from the other.
function hold(worker: Worker): void {
  worker.signal('SIGSTOP')
}

async function takeWindow(ground: Ground, worker: Worker, { shops }: Side, { seconds, perSecond }: Windows) {
  const sent = await sendSteadily(worker.broker, shops, { perSecond, seconds })
  const arrivals = await awaitArrivals(ground, new Set(sent.map(({ id }) => id)))
  const ms = sent.flatMap(({ id, at, place }) => {
    const arrivedAt = arrivals.get(id)
    return arrivedAt === undefined ? [] : [{ place, ms: arrivedAt - at }]
  })
  return { ms, lost: sent.length - ms.length, memoryMb: residentMb(worker.pid) }
}

type Sent = { id: string; at: number; place: number }

/** Hands over one event at a time, in even steps, whether or not the one before has been answered. */
export async function sendSteadily(
  broker: ServiceBroker,
  shops: Shop[],
  { perSecond, seconds }: Omit<Windows, 'rounds'>,
): Promise<Sent[]> {
  const sent: Sent[] = []
  await inEvenSteps(perSecond, perSecond * seconds, (number) => {
    const place = number % shops.length
    const event = makeEvent(shops[place]?.id ?? '', crypto.randomUUID(), 1, new Date())
    sent.push({ id: event.id, at: performance.timeOrigin + performance.now(), place })
    return ingest(broker, [event])
  })
  return sent
}

/** Begins so many works at that rate, whether or not those before have ended; settles when all have. */
export async function inEvenSteps(
  perSecond: number,
  count: number,
  begin: (number: number) => Promise<unknown>,
): Promise<void> {
  const works: Promise<unknown>[] = []
  const beganAt = performance.now()
  for (let number = 0; number < count; number += 1) {
    const wait = beganAt + (number * 1_000) / perSecond - performance.now()
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
    works.push(begin(number))
  }
  await Promise.all(works)
}

/** When each of these first came to a receiver that is well; those that do not come in time are missing. */
export async function awaitArrivals(ground: Ground, ids: Set<string>): Promise<Map<string, number>> {
  const arrivedAt = new Map<string, number>()
  const until = performance.now() + LATE_MS
  while (arrivedAt.size < ids.size && performance.now() < until) {
    for (const { id, path, at } of await ground.sink.take()) {
      if (path === '/ok' && ids.has(id) && !arrivedAt.has(id)) arrivedAt.set(id, at)
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return arrivedAt
}
