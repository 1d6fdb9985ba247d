// Owns handing the objects of a file to the services that own them: in batches, products and contacts before the orders
// that need them. While one batch is written the next one is read.
// import-formats.md, section 1, "Identity and re-import", "Dry run and report".
import { createHash, randomUUID } from 'node:crypto'
import type { Call } from '#runtime/service'
import type { ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { importResults } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import { openForeseen } from './dry-run-objects.ts'
import type { ContactItem, ImportItem, OrderItem, ProductItem, RefundItem } from '../reader/item.ts'
import { openLinks } from './links.ts'
import type { Report } from './report.ts'
import { count, type Tally } from './counts.ts'

export type Writer = {
  /** Takes one object; sends what has gathered when a batch is full. */
  add(item: ImportItem): Promise<void>
  /** Sends what is left, and waits until all of it is written. */
  flush(): Promise<void>
  /** Waits until what was sent is answered, well or not: then the counts hold all that went in. */
  settle(): Promise<void>
}
type WriterOptions = {
  call: Call
  meta: CallMeta
  /** The name under which the services know the keys: the format. */
  source: string
  dryRun: boolean
  report: Report
  tally: Tally
}
type Batch = { product: ProductItem[]; contact: ContactItem[]; order: OrderItem[] }

const refundsHeldMax = 20_000 // Some 5 MB.

/** In a dry run the services do everything and take it back. */
export function openWriter({ call, meta, source, dryRun, report, tally }: WriterOptions): Writer {
  const links = openLinks(call, meta, source)
  const foreseen = dryRun ? openForeseen() : null
  // Sent when all orders are there: a refund may stand before the order that it belongs to.
  let refunds: RefundItem[] = []
  let gathered = empty()
  let bytes = emptySizes()
  let underWay: Promise<void> = Promise.resolve()

  const send = async (action: ActionName, params: object, sent: ImportItem[]) => {
    if (sent.length === 0) return
    // Named here, outside of what asks again after an outage: the same batch is told the same.
    const batch = randomUUID()
    const answer = await call(action, { source, batch, dry_run: dryRun, ...params } as never, meta)
    const byKey = new Map(importResults.parse(answer).results.map((result) => [result.key, result]))
    for (const item of sent) {
      const result = byKey.get(item.key)
      if (result === undefined) throw new Error(`${action} did not answer about every object.`)
      count(tally, report, item, foreseen?.correct(item, result) ?? result)
      links.learn(item, result.id)
    }
  }

  const write = async ({ product, contact, order }: Batch) => {
    await send('products.import', { products: product.map(toProduct) }, product)
    await send('contacts.import', { contacts: contact.map(toContact) }, contact)
    const linked = order.length === 0 ? [] : await links.ofOrders(order)
    const orders = linked.map((one, index) => ({ ...one, fingerprint: fingerprintOf(order[index]) }))
    await send('orders.import', { orders }, order)
  }

  const sendOff = async () => {
    await underWay
    const batch = gathered
    gathered = empty()
    bytes = emptySizes()
    underWay = write(batch)
    underWay.catch(() => undefined) // Thrown where it is waited for: by the next batch, or at the end.
  }

  const flush = async () => {
    await sendOff()
    await underWay
    const held = refunds
    refunds = []
    const atOnce = foreseen === null ? limits.importBatchObjects : limits.refundsForeseenAtOnce
    for (let at = 0; at < held.length; at += atOnce) {
      const some = held.slice(at, at + atOnce)
      const linked = await links.ofRefunds(some)
      const candidates = foreseen?.candidatesOf(some)
      const asked = linked.map((refund, index) => ({ ...refund, candidates_max: candidates?.[index] ?? 1 }))
      await send('orders.import_refunds', { refunds: asked }, some)
    }
  }

  return {
    flush,
    settle: () => underWay.catch(() => undefined), // What it throws has ended the import already, or came after its end.
    async add(item) {
      const size = Buffer.byteLength(JSON.stringify(item))
      if (size > limits.busBytesMax) {
        tally.failed += 1
        report.error(item, 'too_large', `The object is larger than ${limits.busBytesMax} bytes.`)
        return
      }
      if (item.kind === 'refund') {
        refunds.push(item)
        if (refunds.length === refundsHeldMax) await flush()
        return
      }
      const isFull =
        gathered[item.kind].length >= limits.importBatchObjects || bytes[item.kind] + size > limits.importBatchBytes
      if (isFull) await sendOff()
      bytes[item.kind] += size
      ;(gathered[item.kind] as ImportItem[]).push(item)
    },
  }
}

function empty(): Batch {
  return { product: [], contact: [], order: [] }
}

function emptySizes(): Record<keyof Batch, number> {
  return { product: 0, contact: 0, order: 0 }
}

function toProduct({ key, only_create, product }: ProductItem) {
  return { key, only_create, product }
}

function toContact({ key, only_create, contact }: ContactItem) {
  return { key, only_create, contact }
}

// Of what the file says alone: the same file stays the same when the shop has got more products or contacts meanwhile.
function fingerprintOf(item: OrderItem | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(item?.order) ?? '')
    .digest('hex')
}
