// The webhook endpoints of the demo shop, both at the receiver of this product (receiver.ts) and known by their paths.
import { callOrThrow, type AdminAccess } from './admin-client.ts'
import { receiverPaths } from './receiver.ts'

type Endpoint = { id: string; url: string }

const endpoints = [
  { path: receiverPaths.answers, events: ['*'], description: 'Warehouse: answers every delivery' },
  {
    path: receiverPaths.fails,
    events: ['order.*', 'subscription.*'],
    description: 'Bookkeeping: fails now and then, a later try succeeds',
  },
]

/** Creates those that the shop does not have. `missed`: they also get the events that the shop had before. */
export async function createEndpoints(
  admin: AdminAccess,
  handle: string,
  origin: string,
  { missed }: { missed: boolean },
): Promise<void> {
  const existing = (await list(admin, handle)).map(({ url }) => pathOf(url))
  for (const { path, ...endpoint } of endpoints.filter((one) => !existing.includes(one.path))) {
    const body = { ...endpoint, url: `${origin}${path}` }
    const { id } = await callOrThrow<Endpoint>(admin, 'POST', `/shops/${handle}/webhook-endpoints`, body)
    if (!missed) continue
    const from = new Date(Date.now() - 29 * 86_400_000).toISOString()
    await callOrThrow(admin, 'POST', `/shops/${handle}/webhook-endpoints/${id}/replay`, { from, which: 'missed' })
  }
}

/** The receiver may have another port than at the last start. */
export async function moveEndpoints(admin: AdminAccess, handle: string, origin: string): Promise<void> {
  for (const { id, url } of await list(admin, handle)) {
    const path = pathOf(url)
    const isMoved = path !== null && new URL(url).origin !== origin
    if (!isMoved) continue
    await callOrThrow(admin, 'PATCH', `/shops/${handle}/webhook-endpoints/${id}`, { url: `${origin}${path}` })
  }
}

async function list(admin: AdminAccess, handle: string): Promise<Endpoint[]> {
  return callOrThrow<Endpoint[]>(admin, 'GET', `/shops/${handle}/webhook-endpoints`)
}

/** The path of a URL at the receiver; null for every other URL. */
function pathOf(url: string): string | null {
  const { hostname, pathname } = new URL(url)
  return hostname === '127.0.0.1' && endpoints.some(({ path }) => path === pathname) ? pathname : null
}
