// Owns the demo shop: made once, through the same back-office doors that everybody uses, from the real files in demo/.
// Then its past is lived through the moves (demo-life.ts). A fill that was cut off is simply done again on the next start:
// imports change nothing the second time, and every step of the past has its Idempotency-Key.
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { call, type Door } from './admin-client.ts'
import { livePast } from './replay-history.ts'

export type DemoKeys = { read: string; write: string }

const HANDLE = 'demo'
const SHOP = {
  handle: HANDLE,
  name: 'The Gift Room',
  currency: 'GBP',
  timeZone: 'Europe/London',
  country: 'GB',
  ownerEmail: 'owner@example.com',
  plan: 'pro',
}
const filesFolder = import.meta.dirname

/** Fills the demo shop when that was not done yet; gives its two keys. `tell` hears one line for each step. */
export async function fillDemo(door: Door, tell: (line: string) => void): Promise<DemoKeys> {
  const begunAt = await makeShop(door)
  const keys = { read: await makeKey(door, 'read'), write: await makeKey(door, 'write') }
  const done = join(door.dataDir, 'demo-filled')
  if (!existsSync(done)) {
    for (const { file, format } of demoFiles()) tell(await importFile(door, file, format))
    tell(await livePast(door, HANDLE, begunAt))
    writeFileSync(done, '')
  }
  return keys
}

/** Gives when the shop was made. */
async function makeShop(door: Door): Promise<Date> {
  const known = await call(door, 'GET', `/shops/${HANDLE}`)
  const made = known.status === 200 ? known : await call(door, 'POST', '/shops', SHOP)
  const { data } = made.body as { data?: { createdAt?: string } }
  if (data?.createdAt === undefined) {
    throw new Error(`The demo shop could not be made: ${JSON.stringify(made.body)}`)
  }
  return new Date(data.createdAt)
}

// The secret is shown once and kept nowhere but in this file, so that every later start can print it.
async function makeKey(door: Door, access: 'read' | 'write'): Promise<string> {
  const file = join(door.dataDir, 'secrets', `demo-${access}-key`)
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const made = await call(door, 'POST', `/shops/${HANDLE}/keys`, { name: `demo ${access}`, access })
  const secret = (made.body as { data?: { secret?: string } }).data?.secret
  if (secret === undefined) throw new Error(`The demo key could not be made: ${JSON.stringify(made.body)}`)
  writeFileSync(file, `${secret}\n`, { mode: 0o600 })
  return secret
}

function demoFiles(): { file: string; format: string }[] {
  const retail = join(filesFolder, 'online-retail')
  const days = readdirSync(retail).filter((name) => name.endsWith('.csv'))
  return [
    { file: join(filesFolder, 'shopify-products.csv'), format: 'shopify-products' },
    ...days.toSorted().map((name) => ({ file: join(retail, name), format: 'retail' })),
  ]
}

async function importFile(door: Door, file: string, format: string): Promise<string> {
  const response = await fetch(`${door.adminUrl}/admin/v1/shops/${HANDLE}/imports?format=${format}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${door.adminToken}`,
      'content-type': 'text/csv',
      'content-length': String(statSync(file).size),
    },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    duplex: 'half',
  })
  const body = (await response.json()) as { data?: { status: string; processed: number; created: number } }
  if (body.data?.status !== 'completed') throw new Error(`The demo data could not be read: ${JSON.stringify(body)}`)
  return `${file.slice(filesFolder.length + 1)}: ${body.data.processed} records, ${body.data.created} objects`
}
