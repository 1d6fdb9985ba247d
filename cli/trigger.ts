// Owns `storefront trigger`: a made-up event of one kind to every enabled endpoint of a shop, or on the screen where there
// is none. states-and-events.md 6.3.
import { eventId } from '#outbox/record-event'
import type { WebhookAttempt, WebhookEndpoint } from '#contracts/objects/webhook'
import { sampleBody } from '../services/webhooks/events/sample.ts'
import type { Door } from './admin-client.ts'
import { kindOf } from './event-filter.ts'
import { showTable } from './table.ts'
import { misuse, needed, type Options } from './arguments.ts'

export async function triggerCommand(door: Door, [name, ...more]: string[], options: Options): Promise<number> {
  if (name === undefined || more.length > 0) throw misuse('trigger needs the name of one event.')
  const event = kindOf(name)
  const shop = `/shops/${encodeURIComponent(needed(options, 'shop'))}`
  const path = `${shop}/webhook-endpoints`
  const endpoints = (await door.walk(path, {}, 100)) as WebhookEndpoint[]
  const enabled = endpoints.filter((endpoint) => endpoint.enabled)
  if (enabled.length === 0) {
    const { id: shopId, currency } = (await door.call('GET', shop)) as { id: string; currency: string }
    const now = new Date()
    process.stderr.write('The shop has no enabled endpoint; this is what one would be sent.\n')
    process.stdout.write(`${sampleBody(event, { id: eventId(now, 0), shopId, currency, now })}\n`)
    return 0
  }
  const test = async ({ id }: WebhookEndpoint) =>
    (await door.call('POST', `${path}/${id}/test`, { event })) as WebhookAttempt
  const attempts = await Promise.all(enabled.map(test))
  showTable(
    ['ENDPOINT', 'STATUS', 'ERROR', 'MS', 'ANSWER'],
    attempts.map(({ status, error, durationMs, excerpt }, at) => [
      enabled[at]?.url,
      status,
      error,
      durationMs,
      excerpt.slice(0, 80),
    ]),
  )
  return attempts.every(wasTaken) ? 0 : 1
}

/** Whether the receiver said yes. */
export function wasTaken({ status }: Pick<WebhookAttempt, 'status'>): boolean {
  return status !== null && status >= 200 && status <= 299
}
