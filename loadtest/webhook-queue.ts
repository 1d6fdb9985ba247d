// Owns the measurements of webhooks at scale, on a PostgreSQL, a NATS and a receiver of their own, with service processes as
// in production. security-and-faults.md, "Faults and what must hold".
// node loadtest/webhook-queue.ts [--only claim,others,replay,rate,latency,fairness] [--small] [--profile <folder>]
//   [--waiting 1000000] [--states 4] [--replayed 100000] [--rounds 30] [--seconds 3]
// Ends with 1 where something that must hold does not.
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { wholeNumber } from './order-database.ts'
import { measureClaim } from './webhook-queue-claim.ts'
import { measureFairness } from './webhook-queue-fairness.ts'
import { type Ground, openGround } from './webhook-queue-ground.ts'
import { measureLatency } from './webhook-queue-latency.ts'
import { measureOthers } from './webhook-queue-others.ts'
import { measureRate } from './webhook-queue-rate.ts'
import { measureReplay } from './webhook-queue-replay.ts'
import { printRows, type Row } from './webhook-queue-table.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    small: { type: 'boolean', default: false },
    waiting: { type: 'string' },
    states: { type: 'string' },
    replayed: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    profile: { type: 'string' },
  },
})
const { small } = values
const size = (name: 'waiting' | 'states' | 'replayed' | 'rounds' | 'seconds', whole: number, inSmall: number) => {
  const given = values[name]
  return given === undefined ? (small ? inSmall : whole) : wholeNumber(name, given)
}
const waiting = size('waiting', 1_000_000, 5_000)
const count = size('replayed', 100_000, 300)
const windows = { rounds: size('rounds', 30, 2), seconds: size('seconds', 3, 1), perSecond: small ? 20 : 50 }
const profile = values.profile ?? null
const soon = { leaseS: 3, headMs: 1_000 } // What a killed worker had goes on after the lease.

const parts: Record<string, (ground: Ground) => Promise<Row[]>> = {
  claim: (ground) =>
    measureClaim(ground, { waiting, shops: small ? 10 : 200, rounds: small ? 30 : 1_000, sides: size('states', 4, 2) }),
  others: (ground) => measureOthers(ground, { ...windows, waiting, shops: small ? 5 : 200 }),
  replay: (ground) => measureReplay(ground, { count, objects: small ? 30 : 5_000, pace: small ? soon : {} }),
  rate: (ground) =>
    measureRate(ground, {
      shops: small ? 5 : 50,
      each: small ? 60 : 200,
      steady: { ...windows, seconds: small ? 2 : 20 },
      profile,
    }),
  latency: (ground) =>
    measureLatency(ground, {
      perSecond: small ? [20] : [20, 50, 100],
      seconds: windows.seconds * (small ? 2 : 5),
      shops: 10,
    }),
  fairness: (ground) => measureFairness(ground, { ...windows, shops: small ? 5 : 20 }),
}
// In small, what needs other services is left out, and what is measured like something else.
const all = small ? ['claim', 'replay', 'rate', 'fairness'] : Object.keys(parts)
const wanted = values.only === '' ? all : values.only.split(',')

let broken = 0
const ground = await openGround()
try {
  for (const name of wanted) {
    const part = parts[name]
    if (part === undefined) throw new Error(`--only names ${Object.keys(parts).join(', ')}; ${name} is none of them.`)
    const rows = await part(ground)
    broken += rows.filter(({ holds }) => holds === false).length
    printRows(`${name} (${cpus().length} processors, load average ${(loadavg()[1] ?? 0).toFixed(0)})`, rows)
  }
} finally {
  await ground.stop()
}
process.stdout.write(`\n${broken === 0 ? 'all that must hold holds' : `${broken} of what must hold does not`}\n`)
// Node itself waits for ever where a fault has left a connection half open (in its last cleaning up, which nothing can end).
process.exit(broken === 0 ? 0 : 1)
