// Owns killing the whole product in the middle of an import and of the placing of orders, starting it again on the same
// folder, and saying whether anything was lost or half written. run.md, Commands: "kill -9 loses nothing that was answered".
// node loadtest/kill-start.ts [--rounds 10] [--buyers 8] [--day 2010-12-01]
//
// Odd rounds kill the product's process group, even ones its database as well. Each round imports into a shop of its own;
// another shop took the same file without a kill and says what must be there. Ends with 1 on any breach.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { limits } from '#contracts/limits'
import { judgeAftermath } from './kill-aftermath.ts'
import { playRound } from './kill-round.ts'
import { openStage } from './kill-stage.ts'
import { tallyTable } from './kill-tally.ts'
import { wholeNumber } from './order-database.ts'

const START_MS = 300_000
const ROUND_MS = 180_000
const BREACHES_SHOWN = 40
/** A reservation's age, two rounds of the sweep that returns it, and the minute for which a sweep keeps it. */
const RETURNED_MS = (limits.reservationS + 60 + 60) * 1_000

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    buyers: { type: 'string', default: '8' },
    day: { type: 'string', default: '2010-12-01' },
  },
})
const rounds = wholeNumber('rounds', values.rounds)
const buyerCount = wholeNumber('buyers', values.buyers)
const days = join(import.meta.dirname, '..', 'deploy', 'demo', 'online-retail')
const file = readFileSync(join(days, `${values.day}.csv`), 'utf8')

const folder = mkdtempSync(join(tmpdir(), 'storefront-kill-'))
// The product is killed at the exit as well (kill-product.ts), and its database a moment later.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 50 }))
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
setTimeout(
  () => {
    print('It took too long and is given up.')
    process.exit(1)
  },
  START_MS + rounds * ROUND_MS + RETURNED_MS,
).unref()

const stage = await openStage(folder, file)
print(`first start: ready in ${(stage.product.readyMs / 1_000).toFixed(1)} s`)
try {
  for (let number = 1; number <= rounds; number += 1) print(await playRound(stage, number, buyerCount))
  print(await judgeAftermath(stage, RETURNED_MS))
  const code = await stage.product.stop()
  if (code !== 0) stage.wrong.push(`the last stop ended with ${code}`)
} finally {
  await stage.product.kill('all')
}
print(`\n${tallyTable(stage.tally)}\n`)
const wrong = [...new Set(stage.wrong)]
print(wrong.length === 0 ? 'Nothing was lost, nothing was half written.' : wrong.slice(0, BREACHES_SHOWN).join('\n'))
if (wrong.length > BREACHES_SHOWN) print(`and ${wrong.length - BREACHES_SHOWN} breaches more`)
process.exit(wrong.length === 0 ? 0 : 1)

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
