// Owns the looking at everything: what must hold whenever nobody is at work, and what a request that is sent again gets.
// What is wrong goes to the stage.
import { place, type Placing } from './kill-buyers.ts'
import {
  bodyOf,
  type Found,
  halvesOf,
  judgeOrders,
  judgeStock,
  ordersByKey,
  staleDocuments,
  unsentMessages,
} from './kill-judge.ts'
import { type Stage, untilNone, withDatabase } from './kill-stage.ts'

const HANDED_OVER_MS = 60_000
const REPEATERS = 8

/** Judges all of it, once what is owed was handed over; gives the orders that are there. */
export async function judgeAll(stage: Stage): Promise<Found> {
  const { product, shopId, wares, placings, tally, wrong } = stage
  return withDatabase(product, async (db) => {
    const unsent = await untilNone(HANDED_OVER_MS, () => unsentMessages(db))
    if (unsent > 0) wrong.push(`${unsent} messages were not handed over`)
    const found = await ordersByKey(db, shopId)
    const orders = judgeOrders(placings, found)
    const stock = await judgeStock(db, shopId, wares)
    const stale = await staleDocuments(product.databaseUrl)
    const halves = { ...(await halvesOf(db, shopId)), 'documents that their rows do not render to': stale }
    for (const [what, count] of Object.entries(halves)) if (count > 0) wrong.push(`${count} ${what}`)
    wrong.push(...orders.wrong, ...stock.wrong)
    // What is broken stays so until the end and is met again by every judgement.
    tally.lost = Math.max(tally.lost, orders.lost)
    const halfWritten = Object.values(halves).reduce((sum, count) => sum + count, 0)
    tally.halfWritten = Math.max(tally.halfWritten, halfWritten)
    return found
  })
}

/** Sends the requests once more, under their keys; gives how many. */
export async function repeat(stage: Stage, placings: Placing[]): Promise<number> {
  const found = await withDatabase(stage.product, (db) => ordersByKey(db, stage.shopId))
  await each(placings, async (placing) => {
    const [document] = found.get(placing.key) ?? []
    const answer = await place(stage.backOffice, stage.shopId, placing)
    if (document !== undefined && (answer.status !== 201 || answer.text !== bodyOf(document))) {
      stage.wrong.push(`request ${placing.key}, sent again, was answered otherwise: ${answer.status} ${answer.text}`)
    }
    placing.answer ??= answer
  })
  stage.tally.repeats += placings.length
  return placings.length
}

/** Does the work for each, a few at a time. */
export async function each<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: REPEATERS }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}
