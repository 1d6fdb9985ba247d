// Owns sessions that hold the connections of PostgreSQL, all but a few. security-and-faults.md, row "1 free connection".
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const TAKE_WAIT_MS = 20_000
const AT_ONCE = 20
const TOO_MANY = '53300'

/** Takes all connections but `left`; meanwhile nobody else may connect. */
export async function takeConnections(databaseUrl: string, left: number): Promise<{ release(): Promise<void> }> {
  const taken: pg.Client[] = []
  const until = Date.now() + TAKE_WAIT_MS
  // Sessions that were cut off a moment ago still end: it is full when it has been full for a while.
  for (let full = 0; full < 5 && Date.now() < until; ) {
    const more = await Promise.all(Array.from({ length: AT_ONCE }, () => takeOne(databaseUrl)))
    const got = more.filter((client) => client !== null)
    taken.push(...got)
    full = got.length < AT_ONCE ? full + 1 : 0
    if (got.length < AT_ONCE) await pause(200)
  }
  await Promise.all(taken.splice(0, left).map((client) => client.end()))
  return {
    async release() {
      await Promise.all(taken.map((client) => client.end()))
    },
  }
}

async function takeOne(databaseUrl: string): Promise<pg.Client | null> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => undefined) // Cut off at the end of the run.
  try {
    await client.connect()
    return client
  } catch (error) {
    if ((error as { code?: string }).code === TOO_MANY) return null
    throw error
  }
}
