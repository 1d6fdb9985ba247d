// Owns the way of finished attempts into the database. One transaction at a time for each shop, with all that has landed
// meanwhile: the shop's turn is a lock, and a worker must not spend its connections on waiting for itself.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '#postgres/connect'
import type { Pace } from './delivery-config.ts'
import { setTurn } from './claim-queries.ts'
import { lockTurns, releaseQueued } from './queue-queries.ts'
import { pauseEndpoint } from '../endpoints/queries.ts'
import { type Landing, settle } from './settle.ts'
import type { Flight } from '../tables.ts'

/** A landing, or a delivery that goes back unsent: for so many seconds its endpoint is left alone. */
export type Outcome = Landing | { flight: Flight; unsent: true; pauseS: number }
export type Lander = {
  /**
   * Settles when the outcome is committed or cannot be any more: then its lease is over and the attempt is made again. Gives
   * whether the shop has something to send now.
   */
  land(outcome: Outcome): Promise<boolean>
}

const AGAIN_MS = 250
const BATCH = 50

type Waiting = { outcome: Outcome; untilMs: number; done(isDue: boolean): void }

/** `onError` hears of outages; an outcome is tried until its lease is over. */
export function openLander(db: Database, pace: Pace, onError: (error: unknown) => void): Lander {
  const shops = new Map<string, Waiting[]>()

  async function drain(shopId: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      try {
        const isDue = await write(
          db,
          pace,
          shopId,
          batch.map(({ outcome }) => outcome),
        )
        waiting.splice(0, batch.length)
        for (const { done } of batch) done(isDue)
      } catch (error) {
        onError(error)
        for (const late of waiting.filter(({ untilMs }) => performance.now() > untilMs)) {
          waiting.splice(waiting.indexOf(late), 1)
          late.done(true)
        }
        await pause(AGAIN_MS)
      }
    }
    shops.delete(shopId)
  }

  return {
    land(outcome) {
      return new Promise((done) => {
        const shopId = outcome.flight.shop_id
        const entry = { outcome, untilMs: performance.now() + pace.leaseS * 1_000, done }
        const waiting = shops.get(shopId)
        if (waiting !== undefined) {
          waiting.push(entry)
          return
        }
        const begun = [entry]
        shops.set(shopId, begun)
        void drain(shopId, begun)
      })
    },
  }
}

// The turn is set at the end and not merely called: after most landings nothing is due, and no claim needs to find that out.
async function write(db: Database, pace: Pace, shopId: string, outcomes: Outcome[]): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockTurns(tx, [shopId])
    await settle(
      tx,
      shopId,
      outcomes.filter((outcome) => 'answer' in outcome),
      pace,
    )
    for (const outcome of outcomes) {
      if (!('unsent' in outcome)) continue
      await releaseQueued(tx, outcome.flight)
      if (outcome.pauseS > 0) await pauseEndpoint(tx, shopId, outcome.flight.endpoint_id, outcome.pauseS)
    }
    return setTurn(tx, shopId, pace, false)
  })
}
