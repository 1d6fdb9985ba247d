// GET /events with `wait`: reads the page, and where it is empty waits for new events and reads again
// (docs/spec/rest-api.md#list-events).
//
// The position of the shop's log is read before the page, and the call waits for a later one: an event that is stored in between
// ends the waiting at once. Calls for one page that begin together share both reads, so that an event for many waiting calls is
// read once. While webhooks is away a waiting call goes on waiting.
import type { ActionInput } from '#contracts/actions'
import type { CallMeta } from '#contracts/caller'
import { limits } from '#contracts/limits'
import type { FeedPage } from '#contracts/page-result'
import type { Call } from '#runtime/service'
import type { EventWaiters } from './waiters.ts'

type Params = ActionInput<'events.feed'>
type Look = { position: number; page: FeedPage }
export type LongPoll = (
  params: Params,
  meta: CallMeta,
  signal: AbortSignal,
) => Promise<{ body: Buffer; waitedMs: number }>

const AWAY_MS = 1_000

/** `read` is the call of a gateway for reads. */
export function openLongPoll(read: Call, waiters: EventWaiters): LongPoll {
  const looks = new Map<string, Promise<Look>>()

  const readPage = async (params: Params, meta: CallMeta) => (await read('events.feed', params, meta)) as FeedPage

  // The reads begin after this turn of the event loop, and nobody joins them afterwards.
  function look(shopId: string, params: Params, meta: CallMeta): Promise<Look> {
    const key = `${shopId} ${JSON.stringify(params)}`
    const joined = looks.get(key)
    if (joined !== undefined) return joined
    const own = (async () => {
      await new Promise((resolve) => setImmediate(resolve))
      looks.delete(key)
      const position = await waiters.position(shopId).catch(() => 0) // Then the next poll makes the call read again.
      return { position, page: await readPage(params, meta) }
    })()
    looks.set(key, own)
    return own
  }

  return async ({ wait = 0, ...params }, meta, signal) => {
    const { shopId = '' } = meta.caller ?? {}
    const waitMs = Math.min(wait, limits.eventWaitS) * 1_000
    if (waitMs === 0) return { body: (await readPage(params, meta)).body, waitedMs: 0 }
    const beganAt = performance.now()
    const waited = () => performance.now() - beganAt
    let { position, page } = await look(shopId, params, meta)
    while (page.rows === 0 && (await waiters.wait(shopId, position, waitMs - waited(), signal))) {
      try {
        ;({ position, page } = await look(shopId, params, meta))
      } catch {
        await waiters.wait(shopId, Number.POSITIVE_INFINITY, Math.min(AWAY_MS, waitMs - waited()), signal)
      }
    }
    return { body: page.body, waitedMs: waited() }
  }
}
