// Owns the other shops beside a dead endpoint: how long their deliveries take with a million that wait next to them, and with
// none. The dead one refuses every connection.
import type { Ground } from './webhook-queue-ground.ts'
import { type Side, type Taken, takeTurns, type Windows } from './webhook-queue-flow.ts'
import { fillQueue, makeShop, type Shop } from './webhook-queue-shops.ts'
import { halfAndLast, percentile, type Row } from './webhook-queue-table.ts'

export type OthersSize = Windows & { waiting: number; shops: number }

const RATIO_MAX = 1.2
const NOBODY = 'http://127.0.0.1:9/'

export async function measureOthers(ground: Ground, size: OthersSize): Promise<Row[]> {
  const alive = Array<string[]>(size.shops).fill([ground.sink.url('/ok')])
  const without = await makeSide(ground, 'others_without', alive)
  const beside = await makeSide(ground, 'others_beside', [...alive, [NOBODY]])
  const dead = beside.shops.pop()
  const db = await ground.schema(beside.url, 1)
  await fillQueue(db, dead?.endpointIds[0] ?? '', size.waiting, { dueInS: -3_600, step: 0, isOneObject: false })
  await db.close()
  const taken = await takeTurns(ground, [without, beside], size)
  await ground.drop(without.url)
  await ground.drop(beside.url)
  return compared(taken, `beside ${size.waiting} that wait`, () => true)
}

/** A database of its own with shops, each with endpoints at its addresses. */
export async function makeSide(ground: Ground, name: string, addresses: string[][]): Promise<Side> {
  const url = await ground.database(name)
  const worker = await ground.worker(url, { processAtOnce: 0 })
  const shops: Shop[] = []
  for (const urls of addresses) shops.push(await makeShop(worker.broker, urls))
  await worker.end('SIGTERM')
  return { url, shops }
}

/** Rows of a comparison: of the shops in the counted places. */
export function compared(taken: [Taken, Taken], beside: string, isCounted: (place: number) => boolean): Row[] {
  const msOf = ({ ms }: Taken) => ms.filter(({ place }) => isCounted(place)).map((one) => one.ms)
  const [alone, disturbed] = [msOf(taken[0]), msOf(taken[1])]
  const lost = taken[0].lost + taken[1].lost
  const ratio = percentile(disturbed, 0.99) / percentile(alone, 0.99)
  return [
    { what: 'hand-over to receiver alone, p50 / p99', figure: `${halfAndLast(alone)} over ${alone.length}` },
    { what: `${beside}, p50 / p99`, figure: `${halfAndLast(disturbed)} over ${disturbed.length}` },
    { what: 'ratio of p99', figure: ratio.toFixed(2), must: `at most ${RATIO_MAX}`, holds: ratio <= RATIO_MAX },
    { what: 'events that did not arrive', figure: String(lost), must: '0', holds: lost === 0 },
  ]
}
