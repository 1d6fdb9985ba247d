// What the story of a webhook burst needs beside k6: shops with endpoints, the receiver that they name, and the judgement of what came.
import type { Cluster } from '../cluster.ts'
import {
  type Deliveries,
  deliveriesLine,
  deliveryBreaches,
  judgeDeliveries,
  mark,
  untilDrained,
} from '../judge/deliveries.ts'
import { print } from '../program.ts'
import { startReceiver } from '../receiver.ts'

/** `shops` are `handle:product`, comma-separated; `judge` prints the figures and returns every broken invariant, once nothing is owed. */
export type Burst = { shops: string; judge(): Promise<string[]> }

const SHOPS = 4
const ENDPOINTS = 2
const ARRIVE_MS = 60_000

/** Makes the shops and listens. */
export async function openBurst(cluster: Cluster): Promise<Burst> {
  const receiver = await startReceiver()
  const on: Deliveries = { cluster, receiver, endpoints: [] }
  const shops: string[] = []
  for (let number = 0; number < SHOPS; number += 1) {
    const shop = await cluster.client.shop(`burst-${number}`, 0, 0)
    shops.push(`${shop.handle}:${shop.productId}`)
    for (let index = 0; index < ENDPOINTS; index += 1) {
      on.endpoints.push(await receiver.makeEndpoint(cluster.client, shop))
    }
  }
  const since = await mark(on) // All endpoints are owed every event.
  return {
    shops: shops.join(','),
    async judge() {
      const isDrained = (await untilDrained(on, ARRIVE_MS)) !== null
      const judgement = await judgeDeliveries(on, since)
      await receiver.kill()
      print(`  ${deliveriesLine(judgement, 0)}`)
      const { unknown } = judgement
      return [
        ...(isDrained ? [] : [`events are still owed after ${ARRIVE_MS / 1_000} s`]),
        ...(unknown === 0 ? [] : [`${unknown} came of events that do not exist, or of another shop`]),
        ...deliveryBreaches(judgement, 0),
      ]
    },
  }
}
