// The load that clients put on the scene, and when all is well again for them.
import { clientStreams } from '../operations.ts'
import { until } from '../program.ts'
import type { Stream, Traffic } from '../traffic.ts'
import { type Scene, untilReady } from './scene.ts'

const QUIET_MS = 2_000
const QUIET_WAIT_MS = 30_000
// Many, since orders of one product wait for each other; the calls should show the faults, not that queue.
const PRODUCTS = 20

/** Everything that clients of the first shop do. */
export async function streamsOfClients({ shops: [shop], office }: Scene): Promise<Stream[]> {
  const product = { title: 'Mug', kind: 'physical', price: { cents: 500 } }
  const made = Array.from({ length: PRODUCTS }, () => office(shop, 'POST', '/products', product))
  const ids = (await Promise.all(made)).map(({ id }) => String(id))
  return clientStreams(shop, ids)
}

/**
 * Waits until all is well, for half a minute; returns whether it is. Well is when no call that began in the last two seconds failed, and
 * every replica is ready. A call counts where it began: one that waits for its time limit ends long after its fault, and this waits for it.
 */
export async function untilQuiet(
  { cluster }: Scene,
  { calls: made, answeredUntil }: Traffic,
  backAt: number,
): Promise<boolean> {
  const end = Date.now() + QUIET_WAIT_MS
  await untilReady(cluster)
  const isQuiet = () => {
    const since = Math.max(backAt, Date.now() - QUIET_MS)
    const hasFailed = made.some((one) => one.at > since && one.outcome !== 'ok')
    return Date.now() - backAt > QUIET_MS && answeredUntil() >= since && !hasFailed
  }
  return until(isQuiet, end - Date.now(), 200)
}
