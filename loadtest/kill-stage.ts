// Owns what the kills happen on: the product on its folder, a shop with a key and a shelf, the file that is imported with
// what it must come to, and the memory of every request. All of it is made through the back office.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type BackOffice, openBackOffice } from './kill-back-office.ts'
import type { Placing } from './kill-buyers.ts'
import { type Account, accountOf, type Contents, contentsOf, sendFile } from './kill-import.ts'
import { type Product, startProduct } from './kill-product.ts'
import { stockShelf, type Ware } from './kill-shelf.ts'
import { openTally, type Tally } from './kill-tally.ts'

export type Stage = {
  folder: string
  product: Product
  backOffice: BackOffice
  /** The shop in which orders are placed, and its key. */
  shopId: string
  secret: string
  wares: Ware[]
  file: string
  /** What an import of the file leaves that was never cut off, and the counts of the second one. */
  reference: { contents: Contents; again: Account }
  placings: Map<string, Placing>
  tally: Tally
  wrong: string[]
}

/** Starts the product on an empty folder and makes everything; `file` is the text of a retail day. */
export async function openStage(folder: string, file: string): Promise<Stage> {
  const product = await startProduct(folder)
  const backOffice = openBackOffice(product)
  const { id: shopId } = await makeShop(backOffice, 'kills')
  const { secret } = await backOffice.make(`/shops/${shopId}/keys`, { name: 'kills', access: 'read' })
  const wares = await stockShelf(backOffice, shopId)
  const { id } = await makeShop(backOffice, 'reference')
  accountOf(await sendFile(backOffice, id, file))
  const again = accountOf(await sendFile(backOffice, id, file))
  const contents = await withDatabase(product, (db) => contentsOf(db, id))
  return {
    ...{ folder, product, backOffice, shopId, secret: String(secret), wares, file, reference: { contents, again } },
    ...{ placings: new Map(), tally: openTally(), wrong: [] },
  }
}

/** A shop in pounds, as the retail files ask for. */
export function makeShop(backOffice: BackOffice, handle: string): Promise<{ id: string }> {
  const facts = { handle, name: handle, currency: 'GBP', timeZone: 'Europe/London', country: 'GB', plan: 'pro' }
  return backOffice.make('/shops', facts)
}

/** Starts the product again on the same folder. */
export async function startAgain(stage: Stage): Promise<void> {
  stage.product = await startProduct(stage.folder)
  stage.backOffice = openBackOffice(stage.product)
  stage.tally.readyMs.push(stage.product.readyMs)
}

/** Does the work on a connection to the product's own database. */
export async function withDatabase<Result>(
  product: Product,
  work: (db: pg.Client) => Promise<Result>,
): Promise<Result> {
  const db = new pg.Client({ connectionString: product.databaseUrl })
  await db.connect()
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

/** Asks until the number is 0 or less; gives what is left of it after `waitMs`. */
export async function untilNone(waitMs: number, count: () => Promise<number>): Promise<number> {
  const end = performance.now() + waitMs
  for (;;) {
    const left = await count()
    if (left <= 0 || performance.now() > end) return left
    await pause(100)
  }
}
