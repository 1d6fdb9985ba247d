// The demo shop: created on the first start through the back office, from the real files of this folder, then filled with a
// history (replay-history.ts). After an interruption everything is sent again: a second import changes nothing, and every request of the
// history has an Idempotency-Key.
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { call, type AdminAccess } from './admin-client.ts'
import { replayHistory } from './replay-history.ts'

export type DemoKeys = { read: string; write: string }
/**
 * The demo shop as it is found or created; `isFilled` false: `fillDemo` has not completed. `signInCode` signs its owner in, once and for
 * 15 minutes; null where somebody has disabled that operator.
 */
export type DemoShop = { keys: DemoKeys; signInCode: string | null; createdAt: Date; isFilled: boolean }
/** Called when a step begins: with what is filled in, and the 1-based number of the step of all steps. */
export type DemoProgress = (what: string, step: number, steps: number) => void

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
// No mail is ever sent to an operator.
const OWNER = { name: 'Demo owner', email: 'owner@example.com', role: 'owner' }
const filesFolder = import.meta.dirname

/** Finds or creates the demo shop, its two keys and its owner. */
export async function openDemo(admin: AdminAccess): Promise<DemoShop> {
  const createdAt = await createShop(admin)
  const [read, write, signInCode] = await Promise.all([
    createKey(admin, 'read'),
    createKey(admin, 'write'),
    createSignInCode(admin),
  ])
  return { keys: { read, write }, signInCode, createdAt, isFilled: existsSync(doneFile(admin)) }
}

/** Fills the demo shop with its files and its history. Rejects when `admin.signal` is aborted; the next start goes on. */
export async function fillDemo(admin: AdminAccess, { createdAt }: DemoShop, progress: DemoProgress): Promise<void> {
  const files = demoFiles()
  const steps = files.length + 1
  for (const [index, { file, format }] of files.entries()) {
    progress(basename(file), index + 1, steps)
    await importFile(admin, file, format)
  }
  progress('history', steps, steps)
  await replayHistory(admin, HANDLE, createdAt)
  writeFileSync(doneFile(admin), '')
}

function doneFile({ dataDir }: AdminAccess): string {
  return join(dataDir, 'demo-filled')
}

/** Creates the shop where it does not exist; returns when it was created. */
async function createShop(admin: AdminAccess): Promise<Date> {
  const found = await call(admin, 'GET', `/shops?handle=${HANDLE}`)
  const [existing] = (found.body as { data?: { createdAt: string }[] }).data ?? []
  if (existing !== undefined) return new Date(existing.createdAt)
  const created = await call(admin, 'POST', '/shops', SHOP)
  const { data } = created.body as { data?: { createdAt?: string } }
  if (data?.createdAt === undefined) {
    throw new Error(`The demo shop could not be created: ${JSON.stringify(created.body)}`)
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

async function createSignInCode(admin: AdminAccess): Promise<string | null> {
  type Found = { data?: { id: string; disabledAt: string | null }[] }
  const found = await call(admin, 'GET', `/operators?email=${encodeURIComponent(OWNER.email)}`)
  let [owner] = (found.body as Found).data ?? []
  if (owner === undefined) {
    const created = await call(admin, 'POST', '/operators', OWNER)
    owner = (created.body as { data?: { id: string; disabledAt: null } }).data
    if (owner === undefined) throw new Error(`The demo owner could not be created: ${JSON.stringify(created.body)}`)
  }
  if (owner.disabledAt !== null) return null
  const link = await call(admin, 'POST', `/operators/${owner.id}/sign-in-links`)
  return (link.body as { data?: { code: string } }).data?.code ?? null
}

function demoFiles(): { file: string; format: string }[] {
  const retail = join(filesFolder, 'online-retail')
  const days = readdirSync(retail).filter((name) => name.endsWith('.csv'))
  return [
    { file: join(filesFolder, 'shopify-products.csv'), format: 'shopify-products' },
    ...days.toSorted().map((name) => ({ file: join(retail, name), format: 'retail' })),
  ]
}

async function importFile(admin: AdminAccess, file: string, format: string): Promise<void> {
  const response = await fetch(`${admin.adminUrl}/admin/v1/shops/${HANDLE}/imports?format=${format}`, {
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
