// `npm run chaos:webhooks`: faults that concern webhooks, on the distributed form under load, each judged from the database
// and the logs of the receivers.
// npm run chaos:webhooks [-- --only <text>[,<text>]] [--minutes 5] [--rounds 20] [--rate 50]
// Starts its own PostgreSQL, NATS, replicas and receivers on the loopback. Ends with 1 when an invariant was broken.
import { parseArgs } from 'node:util'
import { deliveriesLine, deliveryBreaches, judgeDeliveries, mark, untilDrained } from '../../judge-deliveries.ts'
import { storedBreaches } from '../../judge.ts'
import { conclude, print, seconds, wholeNumber } from '../../program.ts'
import { badReceiverFaults } from './bad-receivers.ts'
import { changeFaults } from './changes.ts'
import { deaths } from './deaths.ts'
import { outages } from './outages.ts'
import { receiverFaults } from './receivers.ts'
import { relayFaults } from './relays.ts'
import { type Fault, startScene } from './scene.ts'
import { startTraffic } from './traffic.ts'

const DRAINED_MS = 600_000
const faults = [...deaths, ...relayFaults, ...outages, ...receiverFaults, ...badReceiverFaults, ...changeFaults]

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    minutes: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '50' },
  },
})
const minutes = Number(values.minutes)
const rounds = wholeNumber('rounds', values.rounds)
const rate = wholeNumber('rate', values.rate)
if (!(minutes > 0)) throw new Error('--minutes must be a number above zero.')
const chosen = faults.filter(({ name }) => values.only.split(',').some((part) => name.includes(part)))

const breaches: string[] = []
const scene = await startScene()
try {
  print(
    `${rate} changes a second on ${scene.orders.length} orders of 3 shops, 5 endpoints each; ${minutes} minutes and`,
  )
  print(`${rounds} rounds a fault. The product's own settings and delays, except where a line says so.`)
  for (const fault of chosen) breaches.push(...(await carryOut(fault)).map((line) => `${fault.name}: ${line}`))
  breaches.push(...(await storedBreaches(scene.cluster)))
} finally {
  await scene.stop()
}
conclude(breaches, 'nothing is lost, disordered, changed or repeated beyond its bound')

/** Lets it happen under load, waits until nothing is owed, prints its line and returns the broken invariants. */
async function carryOut(fault: Fault): Promise<string[]> {
  const since = await mark(scene)
  const traffic = startTraffic(scene, rate)
  const happening = await fault.happen({ ...scene, traffic, minutes, rounds })
  await traffic.stop()
  const drainedMs = await untilDrained(scene, DRAINED_MS)
  const judgement = await judgeDeliveries(scene, since)
  const { notes, breaches: own } = happening.review?.(judgement) ?? { notes: [], breaches: [] }
  const { made, refused, failed } = traffic.counts()
  const failures = [...failed].map(([what, count]) => `${count} ${what}`).join(', ')
  print(
    `${fault.name}: ${made} commands (refused: ${refused}, failed: ${failures === '' ? 'none' : failures}), ` +
      `${deliveriesLine(judgement, happening.repeatsMax)}, ` +
      `drained ${drainedMs === null ? 'not in time' : `after ${seconds(drainedMs)}`}`,
  )
  for (const note of [...happening.notes, ...notes]) print(`    ${note}`)
  const late = drainedMs === null ? ['not drained in time'] : []
  return [...deliveryBreaches(judgement, happening.repeatsMax), ...late, ...happening.breaches, ...own]
}
