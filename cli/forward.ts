// Owns the sending of an event from the command line to a developer's own server: the product's own request, with its
// headers, its signature and its time limits. states-and-events.md 2 to 4.
import { hkdfSync } from 'node:crypto'
import type { EventBody } from '#contracts/objects/webhook-event'
import { makePace } from '../services/webhooks/delivery/delivery-config.ts'
import { post, type Wire } from '../services/webhooks/request/post.ts'
import { askSystem } from '../services/webhooks/request/resolve.ts'
import { headersOf } from '../services/webhooks/request/signature.ts'
import { checkUrl } from '../services/webhooks/endpoints/url.ts'
import { misuse } from './arguments.ts'

export type Forwarded = { status: number | null; error: string | null; durationMs: number }
type Forward = (event: EventBody, signal: AbortSignal) => Promise<Forwarded>

const wire: Wire = { pace: makePace([]), allowPrivate: true, resolve: askSystem }

/** Sends signed events to the URL. Throws a misuse for a URL that cannot be one. */
export function openForward(url: string, secret: Buffer): Forward {
  const checked = checkUrl(url, true)
  if ('problem' in checked) throw misuse(`--forward-to ${checked.problem}.`)
  return async (event, signal) => {
    const body = Buffer.from(JSON.stringify(event)) // The bytes that came: the log's JSON is compact already.
    const message = { id: event.id, stampS: Math.floor(Date.now() / 1_000), body, attempt: 1 }
    const headers = headersOf({ ...message, reason: 'scheduled' }, [secret])
    const { status, error, durationMs } = await post(wire, { url: checked.url.href, headers, body, signal })
    return { status, error, durationMs }
  }
}

/** The secret that signs for this shop here: the same at every start, so that a server may keep it. */
export function listenSecret(token: string, shopId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, 'storefront', `listen ${shopId}`, 32))
}
