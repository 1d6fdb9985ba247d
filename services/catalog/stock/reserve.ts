// Reserves stock for an order before the order is written. docs/spec/order-states.md#reservation
// States: `taken` -> `settled` or `returned`. Messages and crashes:
//   products.reserve  orders -> catalog, with the id that the order will have: takes the units. The reservation, the stock and
//                     the documents are one transaction. The same id again gets the same answer and takes nothing.
//   products.release  orders -> catalog, when the order was refused after that: the units are returned. It may be lost; then
//                     the reservation becomes two minutes old.
//   order.placed      orders -> catalog, by the outbox (products.settle): the order exists, the units are its own.
//   orders.known      catalog -> orders, for reservations older than two minutes: without an order the units are returned. Each
//                     is claimed by one replica for a minute. Orders is called outside of any transaction, and the row is
//                     read again under its lock, because the message may have settled it in between.
// An order that is written after its units were returned takes those that are left when it is settled.
//
// Many buyers of one product at once wait for one row. So orders of the same products that arrive while a transaction for them is under way
// are reserved together in the next one, in the order in which they came: the rows are locked and written once, and each order is whole
// or refused by itself. A buyer who is refused has seen the stock under the lock: units that are held for an order that is being placed
// are not there, and who comes after they were returned can have them.
import type { ActionHandlers } from '#runtime/service'
import { placedMessage, type Reserved } from '#contracts/actions/products'
import { receivedMessages } from '#outbox/received'
import { type Database, breaks } from '#postgres/connect'
import { type Outcome, openJoined } from '#runtime/joined'
import { lockProducts, saveStocks } from '../products/store.ts'
import { deleteReservations, insertReservations, lockReservations, type NewReservation } from './queries.ts'
import { returnReservation, settle } from './settle.ts'
import { type Asked, askedOf, productIdsOf, takeUnits } from './take.ts'

const TOGETHER_MAX = 100
const LINES_MAX = 10 // An order of more lines is reserved alone, so that a transaction for many stays short.
const ATTEMPTS_MAX = 3

export function reservationActions(db: Database): ActionHandlers {
  const reserve = openReservations(db)
  return {
    'products.reserve': ({ params, locals: { caller } }) => reserve(caller.shopId, askedOf(params)),
    async 'products.release'({ params: { reservation_id }, locals: { caller } }) {
      await returnReservation(db, caller.shopId, reservation_id)
      return {}
    },
    async 'products.settle'({ params }) {
      await settle(
        db,
        receivedMessages(placedMessage, params).map(({ shop_id, body }) => ({ shop_id, id: body.order_id })),
      )
      return {}
    },
  }
}

/** Reserves for one order; refuses as `takeUnits` does. */
function openReservations(db: Database): (shopId: string, asked: Asked) => Promise<Reserved> {
  const join = openJoined<{ shopId: string; asked: Asked }, Reserved>({
    most: TOGETHER_MAX,
    work: ([first, ...others]) =>
      reserveTogether(
        db,
        first.shopId,
        [first, ...others].map(({ asked }) => asked),
      ),
  })
  return (shopId, asked) => {
    const products = asked.items.length > LINES_MAX ? asked.id : productIdsOf(asked).join()
    return join(`${shopId} ${products}`, { shopId, asked })
  }
}

// The same id is reserved at once by another replica: then it is there at the next attempt.
async function reserveTogether(db: Database, shopId: string, asked: Asked[]): Promise<Outcome<Reserved>[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await reserveOnce(db, shopId, asked)
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !breaks(error, 'reservations_pkey')) throw error
    }
  }
}

function reserveOnce(db: Database, shopId: string, asked: Asked[]): Promise<Outcome<Reserved>[]> {
  const ids = [...new Set(asked.map(({ id }) => id))]
  return db.change(shopId, async (tx, now) => {
    // Sent together; the reservations are locked before the products, as when they are returned.
    const [known, before] = await Promise.all([
      lockReservations(tx, shopId, ids),
      lockProducts(tx, shopId, [...new Set(asked.flatMap(productIdsOf))].toSorted()),
    ])
    const outcomes = new Map<string, Outcome<Reserved>>()
    for (const { reservation_id, state, answer } of known) {
      if (state !== 'returned') outcomes.set(reservation_id, { value: answerOf(answer) })
    }
    const reservations: NewReservation[] = []
    let after = before
    for (const one of asked) {
      if (outcomes.has(one.id)) continue
      try {
        const { answer, items, left } = takeUnits(after, one)
        after = left
        reservations.push({ reservation_id: one.id, items, answer: JSON.stringify(answer) })
        outcomes.set(one.id, { value: answer })
      } catch (error) {
        outcomes.set(one.id, { error })
      }
    }
    await saveStocks(tx, shopId, before, after, now)
    const returned = known.filter(({ state }) => state === 'returned').map(({ reservation_id }) => reservation_id)
    const renewed = reservations.map(({ reservation_id }) => reservation_id).filter((id) => returned.includes(id))
    if (renewed.length > 0) await deleteReservations(tx, shopId, renewed)
    if (reservations.length > 0) await insertReservations(tx, shopId, reservations)
    return asked.map(({ id }) => outcomes.get(id) ?? { error: new Error('A reservation has no outcome.') })
  })
}

function answerOf(answer: string | null): Reserved {
  if (answer === null) throw new Error('A reservation has no answer.')
  return JSON.parse(answer) as Reserved
}
