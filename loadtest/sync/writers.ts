// The writers of the sync proof: each makes objects of one list through the back office and changes those that it made, and one more
// imports files of such objects. Answered changes are kept with their stamps.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Command, Json, Shop } from '../client.ts'
import type { Change } from '../judge/answers.ts'
import { goods } from '../operations.ts'
import { startCallers } from '../traffic.ts'

type Request = [method: string, path: string, body: object]
/** A list with its owner: how its objects are made, changed once, and imported, by the header of a file and the row of a number. */
export type List = {
  name: string
  service: string
  make(): Request
  change(id: string, object: Json): Request
  header: string
  row(n: number): string
}
export type Writers = { changes: Change[]; imported(): number; stop(): Promise<void> }

const FAILED_PAUSE_MS = 50
const IMPORT_ROWS = 50

export const lists: List[] = [
  {
    name: 'orders',
    service: 'orders',
    make: () => ['POST', '/orders', { paymentMethod: 'bank_transfer', items: goods }],
    change: (id) => ['POST', `/orders/${id}/confirm`, {}],
    header: 'InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country',
    row: (n) => `${n},M1,MUG,1,2011-01-04 10:00:00,2.95,,United Kingdom`,
  },
  {
    name: 'contacts',
    service: 'contacts',
    make: () => ['POST', '/contacts', { email: `${randomUUID()}@example.com` }],
    change: (id, { email }) => ['POST', '/contacts', { email, tags: [`of-${id.slice(0, 8)}`] }],
    header: 'email,first_name,last_name',
    row: (n) => `import-${n}@example.com,Ada,Lovelace`,
  },
  {
    name: 'products',
    service: 'catalog',
    make: () => ['POST', '/products', { title: `Mug ${randomUUID()}`, kind: 'digital', price: { cents: 500 } }],
    change: (id) => ['PATCH', `/products/${id}`, { price: { cents: 600 } }],
    header: 'slug,sku,name,price,currency',
    row: (n) => `import-${n},I-${n},Cup ${n},5.00,GBP`,
  },
]

/** Starts so many writers of one list and, with `imports`, one importer. */
export function startWriters(client: Client, shop: Shop, list: List, count: number, imports: boolean): Writers {
  const { make, change, header, row } = list
  const changes: Change[] = []
  const unchanged: Json[] = []
  let imported = 0
  let isStopped = false

  function next(): Command & { isNew: boolean } {
    // An older one, so that the order of the changes is not that of the list.
    const [older] = unchanged.length > count ? unchanged.splice(Math.floor(Math.random() * unchanged.length), 1) : []
    const [method, path, body] = older === undefined ? make() : change(String(older.id), older)
    return { method, path: `/shops/${shop.id}${path}`, body, isNew: older === undefined }
  }

  const callers = startCallers(client, count, next, ({ method, path, isNew, answer: { status, text, data } }) => {
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`)
    const { id, createdAt, updatedAt } = data
    changes.push({ id: String(id), createdAt: String(createdAt), updatedAt: String(updatedAt), isNew })
    if (isNew) unchanged.push(data)
  })

  async function importOn(): Promise<void> {
    for (let number = 600_000; !isStopped; number += IMPORT_ROWS) {
      const body = [header, ...Array.from({ length: IMPORT_ROWS }, (_, index) => row(number + index)), ''].join('\n')
      const file = { method: 'POST', path: `/shops/${shop.id}/imports`, headers: { 'content-type': 'text/csv' }, body }
      const answer = await client.send(file).catch(() => null)
      if (answer?.status === 201) imported += Number(answer.data.created)
      else await sleep(FAILED_PAUSE_MS)
    }
  }

  const importing = imports ? importOn() : null
  return {
    changes,
    imported: () => imported,
    async stop() {
      isStopped = true
      await Promise.all([callers.stop(), importing])
    },
  }
}
