// The demo shop: created on the first start through the back office with two keys and an owner. fill-demo.ts fills it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callOrThrow, type AdminAccess } from './admin-client.ts'

export type DemoKeys = { read: string; write: string }
/** `signInCode` signs its owner in, once and for 15 minutes; null where somebody has disabled that operator. */
export type DemoShop = { handle: string; keys: DemoKeys; signInCode: string | null; createdAt: Date }
export type DemoOwner = { id: string; disabledAt: string | null }
/** What `POST /shops/{shop}/keys` takes. */
export type NewKey = { name: string; access: 'read' | 'write'; resources?: string[] }

const HANDLE = 'demo'
const SHOP = {
  handle: HANDLE,
  name: 'The Gift Room',
  currency: 'GBP',
  timeZone: 'Europe/London',
  country: 'GB',
  ownerEmail: null, // Its receiver fails now and then, and no notice about that is mailed to anybody.
  plan: 'pro',
  mode: 'test',
}
// No mail is ever sent to an operator.
const OWNER = { name: 'Demo owner', email: 'owner@example.com', role: 'owner' }

/** Finds or creates the demo shop, its two keys and its owner. */
export async function openDemo(admin: AdminAccess): Promise<DemoShop> {
  const createdAt = await createShop(admin)
  const [read, write, signInCode] = await Promise.all([
    createKey(admin, HANDLE, 'read', { name: 'demo read', access: 'read' }),
    createKey(admin, HANDLE, 'write', { name: 'demo write', access: 'write' }),
    createSignInCode(admin),
  ])
  return { handle: HANDLE, keys: { read, write }, signInCode, createdAt }
}

/** The secret of a key. The API shows it once; the file `demo-{file}-key` keeps it so that every later start has it. */
export async function createKey(admin: AdminAccess, handle: string, file: string, key: NewKey): Promise<string> {
  const path = join(admin.dataDir, 'secrets', `demo-${file}-key`)
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  const { secret } = await callOrThrow<{ secret: string }>(admin, 'POST', `/shops/${handle}/keys`, key)
  writeFileSync(path, `${secret}\n`, { mode: 0o600 })
  return secret
}

/** The operator who owns the demo shop, or undefined. */
export async function findOwner(admin: AdminAccess): Promise<DemoOwner | undefined> {
  const [owner] = await callOrThrow<DemoOwner[]>(admin, 'GET', `/operators?email=${encodeURIComponent(OWNER.email)}`)
  return owner
}

/** Creates the shop where it does not exist, and takes the address away that an older product gave it; returns when it was created. */
async function createShop(admin: AdminAccess): Promise<Date> {
  type Shop = { createdAt: string; ownerEmail: string | null }
  const [existing] = await callOrThrow<Shop[]>(admin, 'GET', `/shops?handle=${HANDLE}`)
  const { createdAt } = existing ?? (await callOrThrow<Shop>(admin, 'POST', '/shops', SHOP))
  if (existing?.ownerEmail === OWNER.email) {
    await callOrThrow(admin, 'PATCH', `/shops/${HANDLE}`, { ownerEmail: SHOP.ownerEmail })
  }
  return new Date(createdAt)
}

async function createSignInCode(admin: AdminAccess): Promise<string | null> {
  const owner = (await findOwner(admin)) ?? (await callOrThrow<DemoOwner>(admin, 'POST', '/operators', OWNER))
  if (owner.disabledAt !== null) return null
  const { code } = await callOrThrow<{ code: string }>(admin, 'POST', `/operators/${owner.id}/sign-in-links`)
  return code
}
