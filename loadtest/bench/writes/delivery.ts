// How long an event takes to its receiver, at a steady rate: from the stamp of the change, some milliseconds before its commit, until a
// receiver on the loopback has read the body; and how long the relays work after orders were placed as fast as possible.
import { openReceiver } from '#testing/servers/receiver'
import { goods } from '../../operations.ts'
import { print, quantile, seconds, until, word } from '../../program.ts'
import { startTraffic } from '../../traffic.ts'
import type { Bench } from '../forms.ts'
import type { Product } from '../form.ts'
import type { Scenario } from '../scenario.ts'

export const DELIVERY = 'commit to delivery'
export const LEFT_MESSAGES = 'messages left after placing'
const EVENTS_PER_S = 50
const WARM_MS = 3_000
const MEASURED_MS = 15_000
const ARRIVE_MS = 30_000
const PLACING_MS = 3_000
const CALLERS = 32

/** Prints the percentiles; returns what was wrong. */
export async function measureDelivery(form: Product): Promise<string[]> {
  const receiver = await openReceiver()
  try {
    const handle = `delivery-${word()}`
    await form.client.makeShop(handle)
    await form.client.call('POST', `/shops/${handle}/webhook-endpoints`, { url: receiver.url })
    // An order that is not paid at once has one event.
    const body = { paymentMethod: 'cod', items: goods }
    const next = () => ({ method: 'POST', path: `/shops/${handle}/orders`, body })
    const traffic = startTraffic(form.client, [{ kind: 'order', perSecond: EVENTS_PER_S, next }])
    const began = Date.now()
    await until(() => Date.now() >= began + WARM_MS + MEASURED_MS, 2 * (WARM_MS + MEASURED_MS))
    await traffic.stop()
    const placed = traffic.calls.filter(({ outcome }) => outcome === 'ok').length
    await until(() => receiver.received.length >= placed, ARRIVE_MS)
    const arrived = receiver.received.map(({ at, body: event }) => {
      const { id, timestamp } = JSON.parse(event) as { id: string; timestamp: string }
      const happenedAt = Date.parse(timestamp)
      return { id, happenedAt, ms: performance.timeOrigin + at - happenedAt }
    })
    const measured = arrived.filter(({ happenedAt }) => happenedAt >= began + WARM_MS).map(({ ms }) => ms)
    const [p50, p99] = [quantile(measured, 0.5), quantile(measured, 0.99)]
    const perSecond = Math.round((measured.length * 1_000) / MEASURED_MS)
    print(
      `${DELIVERY}, ${form.name}: p50 **${p50.toFixed(1)}**, p99 **${p99.toFixed(1)}** ms at ${perSecond} events a second`,
    )
    const distinct = new Set(arrived.map(({ id }) => id)).size
    return [
      ...(placed === traffic.calls.length ? [] : [`${DELIVERY}: ${traffic.calls.length - placed} orders failed`]),
      ...(distinct === placed ? [] : [`${DELIVERY}: ${distinct} of ${placed} events arrived`]),
    ]
  } finally {
    await receiver.close()
  }
}

/** Prints how long the relays worked after the last answer, the median and range of so many rounds. */
export async function measureLeft({ measure }: Bench, form: Product, placing: Scenario, rounds: number): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const how = { connections: CALLERS, warmMs: 0, measureMs: PLACING_MS }
    times.push((await measure(form, placing, how)).relayedMs)
  }
  const middle = seconds(quantile(times, 0.5))
  const range = `${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}`
  print(
    `${LEFT_MESSAGES}, ${form.name}: done within **${middle}** (${range}) of ${PLACING_MS / 1_000} s of placing at ${CALLERS} callers`,
  )
}
