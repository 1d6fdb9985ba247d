// Owns `npm run chaos:webhooks`: the faults that concern webhooks on the distributed form with real processes, under load,
// each judged from the database and the receivers' logs. security-and-faults.md, "Faults and what must hold".
// npm run chaos:webhooks [-- --only <text>[,<text>]] [--minutes 5] [--rounds 20] [--rate 50]
// Starts its own PostgreSQL, NATS, replicas and receivers on the loopback. Ends with 1 when something did not hold.
import { parseArgs } from 'node:util'
import { judgeEnd } from './fault-judge.ts'
import { wholeNumber } from './order-database.ts'
import { changeFaults } from './webhook-fault-changes.ts'
import { deaths } from './webhook-fault-deaths.ts'
import { type Ground, openGround } from './webhook-fault-ground.ts'
import { judge, type Judgement, mark, untilDrained } from './webhook-fault-judge.ts'
import { neighbourFaults } from './webhook-fault-neighbours.ts'
import { outages } from './webhook-fault-outages.ts'
import { receiverFaults } from './webhook-fault-receivers.ts'
import { relayFaults } from './webhook-fault-relays.ts'
import { type Fault, type Happening, seconds } from './webhook-fault-scene.ts'
import { startTraffic, type Traffic } from './webhook-fault-traffic.ts'

const DRAINED_MS = 600_000
const faults = [...deaths, ...relayFaults, ...outages, ...receiverFaults, ...neighbourFaults, ...changeFaults]

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

// Ending by the front door takes the processes along.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const wrong: string[] = []
const ground = await openGround()
try {
  print(
    `${rate} changes a second on ${ground.orders.length} orders of 3 shops, 5 endpoints each; ${minutes} minutes and`,
  )
  print(`${rounds} rounds a fault. The product's own settings and waits, except where a line says so.`)
  for (const fault of chosen) wrong.push(...(await carryOut(ground, fault)).map((line) => `${fault.name}: ${line}`))
  const [shop] = ground.shops
  if (shop !== undefined) wrong.push(...(await judgeEnd(ground.stage.databaseUrl, shop, [])))
} finally {
  await ground.stop()
}
for (const line of wrong) print(`*** ${line}`)
print(
  wrong.length === 0
    ? 'nothing is lost, disordered, changed or repeated beyond its bound'
    : `${wrong.length} things did not hold`,
)
process.exit(wrong.length === 0 ? 0 : 1) // All is judged; nothing that a fault left open may keep it.

/** Lets it happen under load, waits until nothing is owed, prints its line and gives what did not hold. */
async function carryOut(on: Ground, fault: Fault): Promise<string[]> {
  const since = await mark(on)
  const traffic = startTraffic(on, rate)
  const happening = await fault.happen({ ground: on, traffic, minutes, rounds })
  await traffic.stop()
  const drainedMs = await untilDrained(on, DRAINED_MS)
  const judgement = await judge(on, since)
  const finding = happening.review?.(judgement) ?? { notes: [], wrong: [] }
  print(lineOf(fault, judgement, happening, drainedMs, traffic))
  for (const note of [...happening.notes, ...finding.notes]) print(`    ${note}`)
  return [...breaches(judgement, happening, drainedMs), ...happening.wrong, ...finding.wrong]
}

function lineOf(
  { name }: Fault,
  judgement: Judgement,
  { repeatsMax }: Happening,
  drainedMs: number | null,
  traffic: Traffic,
): string {
  const { events, expected, received, retries, repeats, lost, disordered, changed, unverified } = judgement
  const { made, refused, failed } = traffic.counts()
  const failures = [...failed].map(([what, count]) => `${count} ${what}`).join(', ')
  return [
    `${name}:`,
    `${made} commands (refused: ${refused}, failed: ${failures === '' ? 'none' : failures}),`,
    `${events} events, ${expected} deliveries expected, ${received} received,`,
    `${retries} after a failure, ${repeats} repeats (at most ${repeatsMax}),`,
    `lost ${lost}, disordered ${disordered}, changed ${changed}, unverified ${unverified},`,
    `slowest hand-over ${seconds(judgement.slowestHandOverMs)}, slowest arrival ${seconds(judgement.slowestArrivalMs)},`,
    `drained ${drainedMs === null ? 'not in time' : `after ${seconds(drainedMs)}`}`,
  ].join(' ')
}

function breaches(judgement: Judgement, { repeatsMax }: Happening, drainedMs: number | null): string[] {
  const { events, repeats, lost, disordered, changed, unverified, badlyStored } = judgement
  return [
    ...(events === 0 ? ['no event happened'] : []),
    ...(lost > 0 ? [`nothingLost: ${lost} deliveries never came`] : []),
    ...(repeats > repeatsMax ? [`duplicatesBounded: ${repeats} repeats, at most ${repeatsMax} may be`] : []),
    ...(disordered > 0 ? [`orderedPerObject: ${disordered} came before the one before them`] : []),
    ...(changed > 0 ? [`idStable: ${changed} came with other bytes`] : []),
    ...(unverified > 0 ? [`${unverified} signatures did not verify`] : []),
    ...(badlyStored > 0 ? [`${badlyStored} events are not kept once, byte for byte`] : []),
    ...(drainedMs === null ? ['not drained in time'] : []),
  ]
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
