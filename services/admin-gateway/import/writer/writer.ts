// Sends the objects of a file to the services that own them (docs/spec/imports.md#identity-and-re-import): in batches that follow from the
// file alone, products and contacts before the orders that need them. While some batches are written, later ones are read.
import type { Call } from '#runtime/service'
import type { CallMeta } from '#contracts/caller'
import type { ImportResult } from '#contracts/actions/import-result'
import { limits } from '#contracts/limits'
import { openItem, type SealedItem } from '../reader/sealed-item.ts'
import { openDryRunObjects } from './dry-run-objects.ts'
import { openExportedLinks } from './exported-links.ts'
import { openLane } from './lane.ts'
import { openLinks } from './links.ts'
import { countResult, type Outcomes, placeOfItem, type Report } from './report.ts'
import { openSend, type Send, type SendOptions } from './send.ts'

export type Writer = {
  /** Takes one object; sends the current batch where it is full. */
  add(item: SealedItem): Promise<void>
  /** Sends the rest, and waits until all of it is written. */
  flush(): Promise<void>
  /** Waits for the answers to all batches that were sent, successful or not: then the counts hold everything that was written. */
  settle(): Promise<void>
  /** Removes what it keeps in files. */
  close(): void
}
type WriterOptions = {
  call: Call
  meta: CallMeta
  /** Names the batches, so that a second run of the same import gets the results of the first. */
  importId: string
  /** The name under which the services know the keys: the format. */
  source: string
  dryRun: boolean
  report: Report
  outcomes: Outcomes
}
type Batch = { product: SealedItem[]; contact: SealedItem[]; order: SealedItem[]; exported: SealedItem[] }

const refundsHeldMax = 20_000 // Some 5 MB.
const batchesAtOnce = 3 // Read and not written yet.

/** In a dry run the services write each batch and roll it back. */
export function openWriter({ report, outcomes, ...options }: WriterOptions): Writer {
  const { call, meta, source, dryRun } = options
  const links = openLinks(call, meta, source)
  const exportedLinks = openExportedLinks(call, meta)
  const dryRunObjects = dryRun ? openDryRunObjects(source === 'retail') : null
  const send = {
    product: openSend(options, {
      action: 'products.import',
      list: 'products',
      unchanged: null,
      contentsOf: async (items) => items.map((item) => toProduct(item)),
    }),
    contact: openSend(options, {
      action: 'contacts.import',
      list: 'contacts',
      unchanged: 'contacts.import_unchanged',
      contentsOf: async (items) => items.map((item) => toContact(item)),
    }),
    order: openSend(options, {
      action: 'orders.import',
      list: 'orders',
      unchanged: 'orders.import_unchanged',
      contentsOf: async (items) =>
        links.ofOrders(items.map((item) => ({ ...openItem<'order'>(item), fingerprint: item.fingerprint }))),
    }),
    exported: openExportedSend(options, exportedLinks),
  }
  // Two products of one title get slugs in the order of the file. What a dry run writes is not there for the next batch.
  const lanes = {
    product: openLane(1),
    contact: openLane(dryRun ? 1 : 2),
    order: openLane(dryRun ? 1 : 2),
    exported: openLane(1),
  }
  // Sent after all orders: a refund may stand before the order that it belongs to.
  let refunds: SealedItem[] = []
  let batch = emptyBatch()
  let bytes = emptySizes()
  let keys = emptyKeys()
  let ready: Promise<unknown> = Promise.resolve() // Settles when the products and contacts so far are written.
  const underWay = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null

  const take = (items: SealedItem[]) => (results: ImportResult[]) => {
    for (const [index, item] of items.entries()) {
      const result = results[index] as ImportResult
      countResult(outcomes, report, item, dryRunObjects?.correct(item, result) ?? result)
      links.remember(item, result.id)
    }
  }

  const write = (kind: keyof Batch, items: SealedItem[], after?: Promise<unknown>) => {
    if (items.length === 0) return Promise.resolve()
    const names = items.flatMap((item) => [item.key, ...item.names])
    const begin = async () => {
      await after
      return send[kind](items)
    }
    return lanes[kind].run(names, begin, take(items))
  }

  const sendBatch = async () => {
    const full = batch
    batch = emptyBatch()
    bytes = emptySizes()
    keys = emptyKeys()
    const first = [write('product', full.product), write('contact', full.contact)]
    ready = Promise.all([ready, ...first]).then(() => undefined) // Without the results of all earlier batches.
    ready.catch(() => undefined) // Thrown where it is awaited.
    const written = Promise.all([...first, write('order', full.order, ready), write('exported', full.exported)])
    const settled: Promise<void> = written
      .then(
        () => undefined,
        (error: unknown) => void (failure ??= { error }),
      )
      .finally(() => underWay.delete(settled))
    underWay.add(settled)
    while (underWay.size >= batchesAtOnce) await Promise.race(underWay)
    if (failure !== null) throw failure.error
  }

  const settle = async () => {
    while (underWay.size > 0) await Promise.all(underWay)
  }

  const flush = async () => {
    await sendBatch()
    await settle()
    if (failure !== null) throw (failure as { error: unknown }).error
    const held = refunds
    refunds = []
    const size = dryRunObjects === null ? limits.importRefundsAtOnce : limits.refundCandidatesAtOnce
    for (let at = 0; at < held.length; at += size) {
      const some = held.slice(at, at + size)
      take(some)(await sendRefunds(some))
    }
  }

  const sendRefunds = openSend(options, {
    action: 'orders.import_refunds',
    list: 'refunds',
    unchanged: null,
    async contentsOf(items) {
      const opened = items.map((item) => openItem<'refund'>(item))
      const candidates = dryRunObjects?.candidatesOf(opened)
      const linked = await links.ofRefunds(opened)
      return linked.map((refund, index) => ({ ...refund, candidates_max: candidates?.[index] ?? 1 }))
    },
  })

  return {
    flush,
    settle,
    close: () => dryRunObjects?.close(),
    async add(item) {
      if (item.bytes > limits.busBytesMax) {
        outcomes.failed += 1
        report.error(placeOfItem(item), 'too_large', `The object is larger than ${limits.busBytesMax} bytes.`)
        return
      }
      if (item.kind === 'refund') {
        refunds.push(item)
        if (refunds.length === refundsHeldMax) await flush()
        return
      }
      const isFull =
        batch[item.kind].length >= limits.importBatchObjects || bytes[item.kind] + item.bytes > limits.importBatchBytes
      // A service remembers one result of a batch for each key. In a dry run the batch must have both: the next one does not find the first.
      const isRepeated = !dryRun && keys[item.kind].has(item.key)
      if (isFull || isRepeated) await sendBatch()
      keys[item.kind].add(item.key)
      bytes[item.kind] += item.bytes
      batch[item.kind].push(item)
    },
  }
}

/** Sends the objects of an export; a file holds those of one list. */
function openExportedSend(options: SendOptions, links: ReturnType<typeof openExportedLinks>): Send {
  let send: Send | null = null
  return (items) => {
    const [first] = items
    if (first === undefined) throw new Error('A batch has an object.')
    send ??= openSend(options, {
      action: `${openItem<'exported'>(first).exported.list}.import_objects`,
      list: 'objects',
      unchanged: null,
      contentsOf: (batch) => links.ofObjects(batch.map((item) => openItem<'exported'>(item))),
    })
    return send(items)
  }
}

function emptyBatch(): Batch {
  return { product: [], contact: [], order: [], exported: [] }
}

function emptySizes(): Record<keyof Batch, number> {
  return { product: 0, contact: 0, order: 0, exported: 0 }
}

function emptyKeys(): Record<keyof Batch, Set<string>> {
  return { product: new Set(), contact: new Set(), order: new Set(), exported: new Set() }
}

function toProduct(item: SealedItem) {
  const { key, only_create, product } = openItem<'product'>(item)
  return { key, only_create, product }
}

function toContact(item: SealedItem) {
  const { key, only_create, contact } = openItem<'contact'>(item)
  return { key, only_create, fingerprint: item.fingerprint, contact }
}
