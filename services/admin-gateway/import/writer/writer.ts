// Sends the objects of a file to the services that own them (docs/spec/imports.md#identity-and-re-import): in batches, products and
// contacts before the orders that need them. While one batch is written the next one is read.
import { createHash, randomUUID } from 'node:crypto'
import type { Call } from '#runtime/service'
import type { ActionName } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { importResults } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import { openDryRunObjects } from './dry-run-objects.ts'
import type { ContactItem, ImportItem, ObjectItem, OrderItem, ProductItem, RefundItem } from '../reader/item.ts'
import { openLinks } from './links.ts'
import { openObjectLinks } from './object-links.ts'
import { countResult, type Outcomes, type Report } from './report.ts'

export type Writer = {
  /** Takes one object; sends the current batch where it is full. */
  add(item: ImportItem): Promise<void>
  /** Sends the rest, and waits until all of it is written. */
  flush(): Promise<void>
  /** Waits for the answer to the last batch, successful or not: then the counts hold everything that was written. */
  settle(): Promise<void>
}
type WriterOptions = {
  call: Call
  meta: CallMeta
  /** The name under which the services know the keys: the format. */
  source: string
  dryRun: boolean
  report: Report
  outcomes: Outcomes
}
type Batch = { product: ProductItem[]; contact: ContactItem[]; order: OrderItem[]; object: ObjectItem[] }

const refundsHeldMax = 20_000 // Some 5 MB.

/** In a dry run the services write each object and roll it back. */
export function openWriter({ call, meta, source, dryRun, report, outcomes }: WriterOptions): Writer {
  const links = openLinks(call, meta, source)
  const objectLinks = openObjectLinks(call, meta)
  const dryRunObjects = dryRun ? openDryRunObjects() : null
  // Sent after all orders: a refund may stand before the order that it belongs to.
  let refunds: RefundItem[] = []
  let batch = emptyBatch()
  let bytes = emptySizes()
  let written: Promise<void> = Promise.resolve() // Settles with the last batch that was sent.

  const send = async (action: ActionName, params: object, sent: ImportItem[]) => {
    if (sent.length === 0) return
    // Named outside of the retry: the services answer a repeated batch with the same results.
    const name = randomUUID()
    const answer = await call(action, { source, batch: name, dry_run: dryRun, ...params } as never, meta)
    const byKey = new Map(importResults.parse(answer).results.map((result) => [result.key, result]))
    for (const item of sent) {
      const result = byKey.get(item.key)
      if (result === undefined) throw new Error(`${action} did not answer about every object.`)
      countResult(outcomes, report, item, dryRunObjects?.correct(item, result) ?? result)
      links.remember(item, result.id)
    }
  }

  const write = async ({ product, contact, order, object }: Batch) => {
    await send('products.import', { products: product.map(toProduct) }, product)
    await send('contacts.import', { contacts: contact.map(toContact) }, contact)
    const linked = order.length === 0 ? [] : await links.ofOrders(order)
    const orders = linked.map((one, index) => ({ ...one, fingerprint: fingerprintOf(order[index]) }))
    await send('orders.import', { orders }, order)
    const [first] = object // A file holds the objects of one list.
    if (first !== undefined) await send(`${first.list}.import_objects`, await objectLinks.ofObjects(object), object)
  }

  const sendBatch = async () => {
    await written
    const full = batch
    batch = emptyBatch()
    bytes = emptySizes()
    written = write(full)
    written.catch(() => undefined) // Thrown where it is awaited: by the next batch, or at the end.
  }

  const flush = async () => {
    await sendBatch()
    await written
    const held = refunds
    refunds = []
    const size = dryRunObjects === null ? limits.importBatchObjects : limits.refundCandidatesAtOnce
    for (let at = 0; at < held.length; at += size) {
      const some = held.slice(at, at + size)
      const linked = await links.ofRefunds(some)
      const candidates = dryRunObjects?.candidatesOf(some)
      const params = linked.map((refund, index) => ({ ...refund, candidates_max: candidates?.[index] ?? 1 }))
      await send('orders.import_refunds', { refunds: params }, some)
    }
  }

  return {
    flush,
    settle: () => written.catch(() => undefined), // Its error has ended the import already.
    async add(item) {
      const size = Buffer.byteLength(JSON.stringify(item))
      if (size > limits.busBytesMax) {
        outcomes.failed += 1
        report.error(item, 'too_large', `The object is larger than ${limits.busBytesMax} bytes.`)
        return
      }
      if (item.kind === 'refund') {
        refunds.push(item)
        if (refunds.length === refundsHeldMax) await flush()
        return
      }
      const isFull =
        batch[item.kind].length >= limits.importBatchObjects || bytes[item.kind] + size > limits.importBatchBytes
      // A service answers once about each key of a batch.
      const isRepeated = item.kind === 'object' && batch.object.some(({ key }) => key === item.key)
      if (isFull || isRepeated) await sendBatch()
      bytes[item.kind] += size
      ;(batch[item.kind] as ImportItem[]).push(item)
    },
  }
}

function emptyBatch(): Batch {
  return { product: [], contact: [], order: [], object: [] }
}

function emptySizes(): Record<keyof Batch, number> {
  return { product: 0, contact: 0, order: 0, object: 0 }
}

function toProduct({ key, only_create, product }: ProductItem) {
  return { key, only_create, product }
}

function toContact({ key, only_create, contact }: ContactItem) {
  return { key, only_create, contact }
}

// Of the file's values only: the same file has the same fingerprint when the shop's products or contacts have changed.
function fingerprintOf(item: OrderItem | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(item?.order) ?? '')
    .digest('hex')
}
