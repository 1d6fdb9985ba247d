// What has to go on while processes are replaced: a session of an operator, a walk by cursor, and a program that follows the events.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Shop } from '../client.ts'
import type { Cluster } from '../cluster.ts'
import { rest } from '../operations.ts'
import type { Stream } from '../traffic.ts'

const CAUGHT_UP_MS = 30_000
const RETRY_MS = 100

/** Calls of the back office by the cookie of one session, which began before all of them. */
export async function sessionStream(cluster: Cluster): Promise<Stream> {
  const operator = { name: 'Grace', email: 'grace@example.com', role: 'owner', shops: null }
  const { id } = await cluster.client.call('POST', '/operators', operator)
  const { secret } = await cluster.client.call('POST', `/operators/${String(id)}/tokens`, { name: 'upgrade' })
  const [gateway] = cluster.of('admin-gateway')
  const response = await fetch(`${gateway?.adminUrl}/admin/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: secret }),
  })
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  if (response.status !== 201 || cookie === '') throw new Error(`There is no session: ${response.status}.`)
  return { kind: 'session', perSecond: 4, next: () => ({ method: 'GET', path: '/me', key: null, headers: { cookie } }) }
}

/** A walk over the orders that goes on from the cursor of its last page, and begins again at the end. */
export function walkStream({ readKey }: Shop): Stream {
  let cursor: string | null = null
  const judge = ({ status, text }: Answer) => {
    if (status !== 200) return String(status)
    cursor = (JSON.parse(text) as { next_cursor: string | null }).next_cursor
    return 'ok'
  }
  const next = () => rest('GET', `/orders?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`, readKey)
  return { kind: 'walk', perSecond: 5, next, judge }
}

export type Follower = { failed: string[]; seen: string[]; stop(): Promise<string[]> }

/** Follows the events of a shop from now on; `stop` waits until it has caught up and returns what it missed or saw twice, one line each. */
export async function followEvents({ client, query }: Cluster, { id, readKey }: Shop): Promise<Follower> {
  const failed: string[] = []
  const seen: string[] = []
  let isStopped = false
  const page = async (target: string) => {
    const answer = await client.send(rest('GET', `/events?${target}`, readKey))
    if (answer.status !== 200) throw new Error(String(answer.status))
    return JSON.parse(answer.text) as { data: { id: string }[]; next_cursor: string }
  }
  const storedIds = async () => {
    const rows = await query<{ id: string }>('select id from webhooks.events where shop_id = $1', [id])
    return rows.map((row) => row.id)
  }
  let { next_cursor: cursor } = await page('limit=1')
  const before = new Set(await storedIds())

  const following = (async () => {
    while (!isStopped) {
      try {
        const { data, next_cursor } = await page(`limit=100&wait=2&cursor=${cursor}`)
        seen.push(...data.map((event) => event.id))
        cursor = next_cursor
      } catch (error) {
        failed.push((error as Error).message)
        await sleep(RETRY_MS)
      }
    }
  })()

  return {
    failed,
    seen,
    async stop() {
      const end = Date.now() + CAUGHT_UP_MS
      const wanted = (await storedIds()).filter((one) => !before.has(one))
      while (wanted.some((one) => !seen.includes(one)) && Date.now() < end) await sleep(RETRY_MS)
      isStopped = true
      await following
      const known = new Set(seen)
      const missed = wanted.filter((one) => !known.has(one)).length
      const twice = seen.length - known.size
      return [
        ...(missed === 0 ? [] : [`a program that follows the events missed ${missed} of ${wanted.length}`]),
        ...(twice === 0 ? [] : [`a program that follows the events saw ${twice} twice`]),
      ]
    },
  }
}
