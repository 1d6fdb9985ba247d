// What the story of a webhook burst needs beside k6: shops with endpoints, the receiver that they name, and a server that
// answers with the verdict on what came. Events are those that orders knows: one that was never handed over is missing.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cluster } from '../cluster.ts'
import { type Deliveries, judgeDeliveries, mark } from '../judge/deliveries.ts'
import { makeEndpoint, startReceiver } from '../receivers.ts'

/** `settings` lead the story to its shops and to the verdict. */
export type Burst = { settings: Record<string, string>; stop(): Promise<void> }

const SHOPS = 4
const ENDPOINTS = 2

/** Makes the shops and listens. */
export async function openBurst(cluster: Cluster): Promise<Burst> {
  const receiver = await startReceiver(cluster.folder, 'burst')
  const on: Deliveries = { cluster, receivers: [receiver], endpoints: [] }
  const shops: string[] = []
  const before = await mark(on)
  for (let number = 0; number < SHOPS; number += 1) {
    const shop = await cluster.client.shop(`burst-${number}`, 0, 0)
    shops.push(`${shop.handle}:${shop.productId}`)
    for (let index = 0; index < ENDPOINTS; index += 1) {
      on.endpoints.push(await makeEndpoint(cluster.client, shop, receiver, `${number}-${index}`))
    }
  }
  const since = { ...before, endpoints: [...on.endpoints] } // All of them are owed every event.
  const verdicts = createServer((_request, response) => {
    verdictOn().then(
      (verdict) => response.end(JSON.stringify(verdict)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => verdicts.listen(0, '127.0.0.1', resolve))

  async function verdictOn() {
    const { expected, lost, repeats, seen, ...counts } = await judgeDeliveries(on, since)
    const wrong = counts.disordered + counts.changed + counts.unverified + counts.unknown + counts.badlyStored
    const moments = seen.map(({ arrival }) => arrival.at)
    const lastS = moments.length === 0 ? 0 : (Math.max(...moments) - Math.min(...moments)) / 1_000
    return { expected, missing: lost, wrong, repeats, lastS }
  }

  return {
    settings: {
      BURST_SHOPS: shops.join(','),
      VERDICT_URL: `http://127.0.0.1:${(verdicts.address() as AddressInfo).port}`,
    },
    async stop() {
      verdicts.close()
      await receiver.kill()
    },
  }
}
