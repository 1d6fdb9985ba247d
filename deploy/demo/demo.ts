// The demo shop: created on the first start through the back office, from the real files of this folder, then given a history
// (replay-history.ts). After an interruption everything is sent again: a second import changes nothing, and every request of the
// history has an Idempotency-Key.
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { call, type AdminAccess } from './admin-client.ts'
import { replayHistory } from './replay-history.ts'

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
  mode: 'test',
}
const filesFolder = import.meta.dirname

/** Fills the demo shop unless it is filled already, and returns its two keys. `report` gets one line for each step. */
export async function fillDemo(admin: AdminAccess, report: (line: string) => void): Promise<DemoKeys> {
  const createdAt = await createShop(admin)
  const keys = { read: await createKey(admin, 'read'), write: await createKey(admin, 'write') }
  const done = join(admin.dataDir, 'demo-filled')
  if (!existsSync(done)) {
    for (const { file, format } of demoFiles()) report(await importFile(admin, file, format))
    report(await replayHistory(admin, HANDLE, createdAt))
    writeFileSync(done, '')
  }
  return keys
}

/** Creates the shop where it does not exist; returns when it was created. */
async function createShop(admin: AdminAccess): Promise<Date> {
  const existing = await call(admin, 'GET', `/shops/${HANDLE}`)
  const response = existing.status === 200 ? existing : await call(admin, 'POST', '/shops', SHOP)
  const { data } = response.body as { data?: { createdAt?: string } }
  if (data?.createdAt === undefined) {
    throw new Error(`The demo shop could not be created: ${JSON.stringify(response.body)}`)
  }
  return new Date(data.createdAt)
}

// The API shows a key once; the file keeps it so that every later start can print it.
async function createKey(admin: AdminAccess, access: 'read' | 'write'): Promise<string> {
  const file = join(admin.dataDir, 'secrets', `demo-${access}-key`)
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const created = await call(admin, 'POST', `/shops/${HANDLE}/keys`, { name: `demo ${access}`, access })
  const secret = (created.body as { data?: { secret?: string } }).data?.secret
  if (secret === undefined) throw new Error(`The demo key could not be created: ${JSON.stringify(created.body)}`)
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

async function importFile(admin: AdminAccess, file: string, format: string): Promise<string> {
  const response = await fetch(`${admin.adminUrl}/admin/v1/shops/${HANDLE}/imports?format=${format}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${admin.adminToken}`,
      'content-type': 'text/csv',
      'content-length': String(statSync(file).size),
    },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    duplex: 'half',
  })
  const body = (await response.json()) as { data?: { status: string; processed: number; created: number } }
  if (body.data?.status !== 'completed') throw new Error(`The demo data could not be imported: ${JSON.stringify(body)}`)
  return `${file.slice(filesFolder.length + 1)}: ${body.data.processed} records, ${body.data.created} objects`
}
