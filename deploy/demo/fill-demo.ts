// Fills the demo shop: with the files of this folder, endpoints, a history (replay-history.ts) and requests of its keys, in steps. Each
// step that is done is written down in the data folder. After an interruption the step that was under way is sent again: a second import
// changes nothing, and every request of the history has an Idempotency-Key.
import { appendFileSync, createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type AdminAccess, callOrThrow } from './admin-client.ts'
import { type DemoShop, findOwner } from './demo.ts'
import { createEndpoints } from './endpoints.ts'
import { type Gateways, makeKeyCalls } from './key-calls.ts'
import type { DemoReceiver } from './receiver.ts'
import { replayHistory } from './replay-history.ts'

export type DemoSurroundings = Gateways & { receiver: DemoReceiver }
/** Called when a step begins: with what is filled in, and the 1-based number of the step of all steps. */
export type DemoProgress = (what: string, step: number, steps: number) => void
type Step = { name: string; run(admin: AdminAccess): Promise<void> }

const filesFolder = import.meta.dirname
const TOKEN_NAME = 'filling of the demo shop'
const TOKEN_MS = 3_600_000

/** Whether every step of this product is done. */
export function isFilled({ dataDir }: AdminAccess, shop: DemoShop, around: DemoSurroundings): boolean {
  const done = readDone(dataDir)
  return stepsOf(shop, around, dataDir).every(({ name }) => done.has(name))
}

/** Does what is left of the steps. Rejects when `admin.signal` is aborted; the next start goes on. */
export async function fillDemo(
  admin: AdminAccess,
  shop: DemoShop,
  around: DemoSurroundings,
  progress: DemoProgress,
): Promise<void> {
  const done = readDone(admin.dataDir)
  const steps = stepsOf(shop, around, admin.dataDir)
  await asOwner(admin, async (owner) => {
    for (const [index, { name, run }] of steps.entries()) {
      if (done.has(name)) continue
      progress(name, index + 1, steps.length)
      await run(owner)
      appendFileSync(doneFile(admin.dataDir), `${name}\n`)
    }
  })
}

// The history needs the products of the first file. The retail days take longest. The file with two bad rows is the newest import.
function stepsOf(shop: DemoShop, around: DemoSurroundings, dataDir: string): Step[] {
  const { handle } = shop
  const { origin } = around.receiver
  const createAll = (admin: AdminAccess) =>
    createEndpoints(admin, handle, origin, { missed: readDone(dataDir).has('history') })
  return [
    fileStep(shop, 'shopify-products.csv', 'shopify-products'),
    { name: 'endpoints', run: createAll },
    { name: 'history', run: (admin) => replayHistory(admin, handle, shop.createdAt) },
    { name: 'requests', run: (admin) => makeKeyCalls(admin, shop, around) },
    ...retailDays().map((file) => fileStep(shop, file, 'retail')),
    fileStep(shop, 'new-arrivals.csv', 'shopify-products'),
  ]
}

function fileStep({ handle }: DemoShop, file: string, format: string): Step {
  return { name: file, run: (admin) => importFile(admin, handle, join(filesFolder, file), format) }
}

function doneFile(dataDir: string): string {
  return join(dataDir, 'demo-steps')
}

function readDone(dataDir: string): Set<string> {
  const file = doneFile(dataDir)
  const written = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  // Version 0.1.0 wrote this file after all of its steps; a history that is sent again after a day would be a second one.
  const before = existsSync(join(dataDir, 'demo-filled')) ? ['shopify-products.csv', 'history', ...retailDays()] : []
  return new Set([...written, ...before])
}

function retailDays(): string[] {
  const days = readdirSync(join(filesFolder, 'online-retail')).filter((name) => name.endsWith('.csv'))
  return days.toSorted().map((name) => join('online-retail', name))
}

/** Lets the work be done by the owner of the demo shop, so that histories name a person; by `admin` where that one is disabled. */
async function asOwner(admin: AdminAccess, work: (owner: AdminAccess) => Promise<void>): Promise<void> {
  const owner = await findOwner(admin)
  if (owner === undefined || owner.disabledAt !== null) return work(admin)
  const path = `/operators/${owner.id}/tokens`
  type Token = { id: string; name: string; secret: string }
  for (const { id, name } of await callOrThrow<Token[]>(admin, 'GET', path)) {
    if (name === TOKEN_NAME) await callOrThrow(admin, 'DELETE', `${path}/${id}`)
  }
  const body = { name: TOKEN_NAME, expiresAt: new Date(Date.now() + TOKEN_MS).toISOString() }
  const { id, secret } = await callOrThrow<Token>(admin, 'POST', path, body)
  await work({ ...admin, adminToken: secret })
  await callOrThrow(admin, 'DELETE', `${path}/${id}`)
}

async function importFile(admin: AdminAccess, handle: string, file: string, format: string): Promise<void> {
  const response = await fetch(`${admin.adminUrl}/admin/v1/shops/${handle}/imports?format=${format}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${admin.adminToken}`,
      'content-type': 'text/csv',
      'content-length': String(statSync(file).size),
    },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    duplex: 'half',
    ...(admin.signal ? { signal: admin.signal } : {}),
  })
  const body = (await response.json()) as { data?: { status: string } }
  if (body.data?.status !== 'completed') throw new Error(`The demo data could not be imported: ${JSON.stringify(body)}`)
}
