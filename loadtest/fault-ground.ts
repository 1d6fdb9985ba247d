// Owns the stage of the chaos with the ways that it can make bad: one to PostgreSQL for all, one to NATS for each group of
// processes that a partition takes away; and the disk that it can fill.
import { type Gate, openGate } from './gate.ts'
import { openSmallDisk, type SmallDisk } from './small-disk.ts'
import { openStage, type Stage, serviceNames } from './stage.ts'

/** Services whose way to NATS has a gate of its own, both replicas through the same. */
const apart = ['auth', 'webhooks'] as const

export type FaultStage = Stage & {
  database: Gate
  bus: Record<(typeof apart)[number], Gate>
  /** Or why there is none. */
  disk: SmallDisk | string
}

/** Starts everything; `env` holds further settings. */
export async function openFaultStage(count: number, env: Record<string, string>): Promise<FaultStage> {
  const gates: Gate[] = []
  const ground: Partial<Pick<FaultStage, 'database' | 'bus' | 'disk'>> = {}
  const stage = await openStage(count, {}, env, async (natsUrl, databaseUrl) => {
    const gate = async (url: string) => {
      const made = await openGate(Number(new URL(url).port))
      gates.push(made)
      return made
    }
    const disk = await openSmallDisk(databaseUrl)
    const [database, auth, webhooks] = [await gate(databaseUrl), await gate(natsUrl), await gate(natsUrl)]
    Object.assign(ground, { database, bus: { auth, webhooks }, disk })
    const gated = { DATABASE_URL: through(databaseUrl, database) }
    const own = Object.fromEntries(serviceNames.map((service) => [service, gated]))
    for (const [service, way] of Object.entries({ auth, webhooks })) {
      own[service] = { ...gated, NATS_URL: through(natsUrl, way) } as typeof gated
    }
    return own
  })
  const { database, bus, disk } = ground as Required<typeof ground>
  return {
    ...stage,
    database,
    bus,
    disk,
    async stop() {
      await stage.stop()
      await Promise.all(gates.map((gate) => gate.close()))
      if (typeof disk !== 'string') disk.remove()
    },
  }
}

function through(url: string, gate: Gate): string {
  const led = new URL(url)
  led.port = String(gate.port)
  return led.href
}
