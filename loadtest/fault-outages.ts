// Owns the faults of what the services stand on: NATS, the ways to it, PostgreSQL, its connections, its disk.
// security-and-faults.md, "Faults and what must hold".
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { takeConnections } from './fault-connections.ts'
import type { FaultStage } from './fault-ground.ts'
import type { Bounds, Happened } from './fault-judge.ts'
import type { Fault, Plan } from './fault-list.ts'

const OUTAGE: Bounds = { failedMax: null, healthyMsMax: 5_000 }
const SLOW_MS = 2_000
const SHORT_SECONDS = 20
const DRAIN_MS = 15_000

/** These faults in the order in which they happen. */
export function outages({ natsSeconds, natsRestarts, partitionSeconds }: Plan): Fault[] {
  return [
    { name: `NATS stopped ${natsSeconds} s`, bounds: OUTAGE, happen: natsAway(natsSeconds) },
    { name: `NATS restarted ${natsRestarts} times`, bounds: OUTAGE, happen: natsAgain(natsRestarts) },
    {
      name: `orders apart from webhooks ${partitionSeconds} s`,
      bounds: { failedMax: 0, healthyMsMax: 0 },
      happen: apartFromWebhooks(partitionSeconds),
    },
    {
      name: `gateways apart from auth ${partitionSeconds} s`,
      bounds: { ...OUTAGE, failedMin: 1 }, // Decision 12; the back office asks auth for the shop.
      happen: apartFromAuth(partitionSeconds),
    },
    { name: 'PostgreSQL restarted', bounds: OUTAGE, happen: databaseKilled },
    { name: 'PostgreSQL slow (2 s)', bounds: { ...OUTAGE, failedMin: 1, slowestMsMax: 11_000 }, happen: databaseSlow },
    { name: 'PostgreSQL has one connection', bounds: { ...OUTAGE, failedMin: 1 }, happen: oneConnection },
    {
      name: 'disk of PostgreSQL full',
      bounds: { ...OUTAGE, failedMin: 1, mayFail: ['contact', 'order'] },
      happen: diskFull,
    },
  ]
}

function natsAway(seconds: number): Fault['happen'] {
  return async ({ nats }) => {
    const from = Date.now()
    await nats.stop()
    await pause(seconds * 1_000)
    await nats.start()
    return { from, backAt: Date.now() }
  }
}

function natsAgain(times: number): Fault['happen'] {
  return async ({ nats }) => {
    const from = Date.now()
    for (let time = 0; time < times; time += 1) {
      await nats.stop()
      await nats.start()
      await pause(1_000)
    }
    return { from, backAt: Date.now() }
  }
}

// Half of the time nothing arrives and nobody is told; then connections are reset, as by a router that knows.
function apartFromWebhooks(seconds: number): Fault['happen'] {
  return async ({ bus, databaseUrl }) => {
    const from = Date.now()
    bus.webhooks.silence()
    await pause(seconds * 500)
    bus.webhooks.refuse()
    await pause(seconds * 500)
    const wrong: string[] = []
    if ((await waitingEvents(databaseUrl, Date.now())) === 0) wrong.push('no event waited: they were not apart')
    bus.webhooks.heal()
    const backAt = Date.now()
    while ((await waitingEvents(databaseUrl, backAt)) > 0 && Date.now() - backAt < DRAIN_MS) await pause(100)
    const left = await waitingEvents(databaseUrl, backAt)
    if (left > 0) wrong.push(`${left} events still wait ${DRAIN_MS} ms later`)
    return { from, backAt, wrong }
  }
}

function apartFromAuth(seconds: number): Fault['happen'] {
  return async ({ bus }) => {
    const from = Date.now()
    bus.auth.silence()
    await pause(seconds * 500)
    bus.auth.refuse()
    await pause(seconds * 500)
    bus.auth.heal()
    return { from, backAt: Date.now() }
  }
}

async function databaseKilled({ killDatabase }: FaultStage): Promise<Happened> {
  killDatabase()
  const at = Date.now()
  return { from: at, backAt: at }
}

async function databaseSlow(stage: FaultStage): Promise<Happened> {
  const from = Date.now()
  stage.database.delay(SLOW_MS)
  await pause(SHORT_SECONDS * 500)
  const wrong = await wellInSpiteOf(stage, 0)
  await pause(SHORT_SECONDS * 500)
  stage.database.delay(0)
  return { from, backAt: Date.now(), wrong }
}

async function oneConnection(stage: FaultStage): Promise<Happened> {
  const from = Date.now()
  stage.database.refuse()
  const taken = await takeConnections(stage.databaseUrl, 1)
  stage.database.heal()
  await pause(SHORT_SECONDS * 500)
  const wrong = await wellInSpiteOf(stage, 1)
  await pause(SHORT_SECONDS * 500)
  await taken.release()
  return { from, backAt: Date.now(), wrong }
}

async function diskFull({ disk }: FaultStage): Promise<Happened> {
  if (typeof disk === 'string') throw new Error(disk)
  const from = Date.now()
  disk.fill()
  await pause(SHORT_SECONDS * 1_000)
  disk.clear()
  return { from, backAt: Date.now() }
}

// Readiness must say it: no more processes with rows than have a connection may call themselves ready.
async function wellInSpiteOf({ replicas }: FaultStage, may: number): Promise<string[]> {
  const withRows = replicas.all.filter(({ service }) => !service.endsWith('-gateway'))
  const answers = await Promise.all(withRows.map((replica) => replica.isReady()))
  const ready = withRows.filter((_replica, index) => answers[index] === true)
  if (ready.length <= may) return []
  const names = ready.map(({ service, number }) => `${service} ${number}`).join(', ')
  return [`${ready.length} processes say that they are ready: ${names}`]
}

// Those that happened before a moment; new ones always wait a little.
async function waitingEvents(databaseUrl: string, before: number): Promise<number> {
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  try {
    const { rows } = await db.query(
      'select count(*)::int as n from orders.events where published_at is null and happened_at < $1',
      [new Date(before)],
    )
    return (rows as { n: number }[])[0]?.n ?? 0
  } finally {
    await db.end()
  }
}
